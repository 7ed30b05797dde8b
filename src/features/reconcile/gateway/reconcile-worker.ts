// The entry point of the thread that reads an export and compares it with the log. It has one task, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { openForReading } from '../../../gateway/store/engine/connection.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import type { Reconciliation } from '../api/reconciliations.ts'
import { compare } from './compare.ts'
import type { ExportFormat } from './formats.ts'
import { type Entry, readExport } from './read-export.ts'
import { billedRequests, readIds } from './reconciliation-rows.ts'
import { differenceUsd, sumSettleable, toSide } from './sides.ts'
import { ExportError } from './table.ts'

export interface ReconcileTask {
  bytes: Uint8Array
  dataDir: string
  /** Null: that of the export's vendor. */
  provider: string | null
  /** The ids of the providers that are set up. */
  configured: readonly string[]
}

/** Without what only the main thread knows. */
type ReconciliationResult = Omit<Reconciliation, 'id' | 'createdAt' | 'name'>
export type WorkerAnswer = { result: ReconciliationResult } | { refused: string }

const DAY_MS = 86_400_000
/** A request is dated by its start in the log, and in some exports by its end. */
const MARGIN_MS = 10 * 60_000

if (parentPort) parentPort.postMessage(answer(workerData))

function answer(task: ReconcileTask): WorkerAnswer {
  try {
    return { result: reconcile(task) }
  } catch (error) {
    if (error instanceof ExportError) return { refused: error.message }
    throw error
  }
}

/** Throws ExportError. */
function reconcile({ bytes, dataDir, ...task }: ReconcileTask): ReconciliationResult {
  const { format, entries, notes } = readExport(bytes)
  const { each = 'period', name: formatName } = format
  const provider = chooseProvider(format, task)
  const [from = '', to = from] = [entries[0]?.day, entries.at(-1)?.day]
  const db = openForReading(dataDir)
  try {
    const requests = billedRequests(db, provider, findSpan(entries, each))
    const compared = compare({ entries, requests, each })
    const ids = readIds(db, [
      ...compared.itemRequests.flatMap((request) => request?.seq ?? []),
      ...compared.charges.map(({ request }) => request.seq),
    ])
    const settleable = compared.charges.flatMap(({ request, costNano }) => {
      const requestId = ids.get(request.seq)
      const beforeUsd = (request.costNano ?? 0) / NANO_PER_USD
      const afterUsd = costNano / NANO_PER_USD
      return requestId === undefined ? [] : [{ requestId, beforeUsd, afterUsd, state: 'open' as const }]
    })
    return {
      provider,
      formatName,
      rows: entries.length,
      notes,
      from,
      to,
      each,
      counts: compared.counts,
      there: toSide(compared.there),
      here: toSide(compared.here),
      differenceUsd: differenceUsd(compared.there, compared.here),
      ...sumSettleable(settleable),
      lines: compared.lines,
      items: compared.items.map((item, index) => {
        const request = compared.itemRequests[index]
        return { ...item, requestId: request ? (ids.get(request.seq) ?? null) : null }
      }),
      itemsLeftOut: compared.itemsLeftOut,
      settleable,
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
function findSpan(entries: readonly Entry[], each: 'request' | 'period'): { from: number; to: number } {
  const [first = 0, last = first] = [entries[0]?.at, entries.at(-1)?.at]
  if (each === 'request') return { from: first - MARGIN_MS, to: last + MARGIN_MS }
  return { from: first - (first % DAY_MS), to: last - (last % DAY_MS) + DAY_MS }
}
