// The task of the worker thread with an export. Nothing here takes time on the main thread.

import type { ExportPreview, Reconciliation } from '../../../shared/api/reconciliations.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import { dayName, dayStart } from '../../../shared/values/calendar.ts'
import { billedRequests, findSeq, openForReading, readIds } from '../../store/listings/billed-requests.ts'
import { compare } from './compare.ts'
import type { Entry } from './entry-reader.ts'
import { type OpenedExport, openExport, type ReadOptions, readEntries } from './read-export.ts'
import { getState } from './settle-state.ts'
import { differenceUsd, toSide } from './sides.ts'
import { ExportError } from './table.ts'

export type WorkerTask = ReadOptions & { bytes: Uint8Array } & (
    | { kind: 'preview' }
    | { kind: 'reconcile'; dataDir: string; provider: string }
  )

/** Without what only the main thread knows. */
type ReconciliationResult = Omit<Reconciliation, 'id' | 'createdAt' | 'name'>
export interface TaskResults {
  preview: ExportPreview
  reconcile: ReconciliationResult
}

const SAMPLE_ROWS = 5
const DAY_MS = 86_400_000
/** A request is dated by its start in the log, and in some exports by its end. */
const MARGIN_MS = 10 * 60_000

/** Throws ExportError. */
export function runTask(task: WorkerTask): TaskResults[WorkerTask['kind']] {
  const opened = openExport(task.bytes, task)
  return task.kind === 'preview' ? preview(opened) : reconcile(opened, task)
}

function preview(opened: OpenedExport): ExportPreview {
  const { table, mapping, format } = opened
  let entries: Entry[] = []
  let problem: string | null = null
  try {
    if (mapping) entries = readEntries(opened)
  } catch (error) {
    if (!(error instanceof ExportError)) throw error
    problem = error.message
  }
  const days = getSpan(entries)
  return {
    ...getFacts(opened, entries.length || table.rows.length),
    vendor: format?.vendor ?? null,
    columns: [...table.columns],
    sample: table.rows
      .slice(0, SAMPLE_ROWS)
      .map(({ cells }) => table.columns.map((_, at) => (cells[at] ?? '').slice(0, 200))),
    mapping,
    problem,
    from: days?.first ?? null,
    to: days?.last ?? null,
  }
}

function reconcile(
  opened: OpenedExport,
  { dataDir, provider }: Extract<WorkerTask, { kind: 'reconcile' }>,
): ReconciliationResult {
  const entries = readEntries(opened).sort((a, b) => a.at - b.at)
  const { timeZone, mapping } = opened
  const each = mapping?.each ?? 'period'
  const days = getSpan(entries)
  if (!days) throw new ExportError('The file has no entries.')
  const db = openForReading(dataDir)
  try {
    const requests = billedRequests(db, provider, spanToCompare(entries, opened, days))
    const compared = compare({ entries, requests, each, timeZone, findSeq: (id) => findSeq(db, id) })
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
      ...getFacts(opened, entries.length),
      from: days.first,
      to: days.last,
      each,
      counts: compared.counts,
      there: toSide(compared.there),
      here: toSide(compared.here),
      differenceUsd: differenceUsd(compared.there, compared.here),
      ...getState(settleable),
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

/** Whole days; of an export of single requests, the time between the first and the last. */
function spanToCompare(
  entries: readonly Entry[],
  { mapping, timeZone }: OpenedExport,
  days: { first: string; last: string },
): { from: number; to: number } {
  if (mapping?.each === 'request') {
    return { from: (entries[0]?.at ?? 0) - MARGIN_MS, to: (entries.at(-1)?.at ?? 0) + MARGIN_MS }
  }
  const end = dayStart(days.last, timeZone) + 1.5 * DAY_MS
  return { from: dayStart(days.first, timeZone), to: dayStart(dayName(end, timeZone), timeZone) }
}

function getFacts({ format, timeZone, notes }: OpenedExport, rows: number) {
  return {
    format: format?.id ?? null,
    formatName: format?.name ?? 'Columns chosen by you',
    timeZone,
    rows,
    notes,
  }
}

function getSpan(entries: readonly Entry[]): { first: string; last: string } | null {
  let first: string | undefined
  let last: string | undefined
  for (const { day } of entries) {
    if (first === undefined || day < first) first = day
    if (last === undefined || day > last) last = day
  }
  return first === undefined || last === undefined ? null : { first, last }
}
