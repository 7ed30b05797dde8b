// The entry point of the thread that reads an export and compares it with the log. It has one task, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../../gateway/store/engine/connection.ts'
import type { Reconciliation } from '../api/reconciliations.ts'
import { compare, type StatedCharge } from './compare.ts'
import type { ExportFormat } from './formats.ts'
import { readExport, toDay } from './read-export.ts'
import { ExportError } from './read-rows.ts'
import { listBilledRequests } from './reconciliation-rows.ts'

export interface ReconcileTask {
  bytes: Uint8Array
  dataDir: string
  /** Null: that of the export's vendor. */
  provider: string | null
  /** The ids of the providers that are set up. */
  configured: readonly string[]
}

export interface Compared {
  report: Omit<Reconciliation, 'open' | 'settled'>
  charges: StatedCharge[]
}
export type WorkerAnswer = Compared | { refused: string }

const DAY_MS = 86_400_000
/** A request is dated by its start in the log, and in some exports by its end. */
const MARGIN_MS = 10 * 60_000

if (parentPort) parentPort.postMessage(answer(workerData))

function answer(task: ReconcileTask): WorkerAnswer {
  try {
    return reconcile(task)
  } catch (error) {
    if (error instanceof ExportError) return { refused: error.message }
    throw error
  }
}

/** Throws ExportError. */
function reconcile({ bytes, dataDir, ...task }: ReconcileTask): Compared {
  const { format, entries, notes } = readExport(bytes)
  const { counted = 'day', name: formatName } = format
  const provider = chooseProvider(format, task)
  const [first = 0, last = first] = [entries[0]?.at, entries.at(-1)?.at]
  const { from, to } = findSpan(first, last, counted)
  const db = openForReading(dataDir)
  try {
    const { charges, ...compared } = compare(entries, listBilledRequests(db, provider, from, to), counted)
    const days = { from: toDay(first), to: toDay(last) }
    return {
      charges,
      report: { provider, formatName, rows: entries.length, notes, counted, ...days, ...compared },
    }
  } finally {
    db.close()
  }
}

function chooseProvider(
  { name, vendor }: ExportFormat,
  { provider, configured }: Pick<ReconcileTask, 'provider' | 'configured'>,
): string {
  if (provider !== null) return provider
  if (configured.includes(vendor)) return vendor
  throw new ExportError(
    `The file is of the kind “${name}”, and the provider “${vendor}” is not set up. Choose the provider to compare it with.`,
  )
}

/** Whole days; of an export of single requests, the time between the first and the last. */
function findSpan(first: number, last: number, counted: Reconciliation['counted']) {
  if (counted === 'request') return { from: first - MARGIN_MS, to: last + MARGIN_MS }
  return { from: first - (first % DAY_MS), to: last - (last % DAY_MS) + DAY_MS }
}
