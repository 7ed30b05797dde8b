// The totals of a listing. They come from the sums of usage where those have its filters, or else from all rows that match.
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { omitUndefined } from '../../platform/fields.ts'
import { type Condition, type Db, joinConditions, type SqlValue, statement } from '../engine/statement.ts'
import { COST_STATUS_CODES } from '../ledger/request-codecs.ts'
import { MEASURES } from '../sums/rollup-columns.ts'
import { END_OF_TIME, sumRange } from '../sums/rollup-query.ts'
import { createPlans, type RequestFilter } from './request-index.ts'
import { getRequest, storedFilter } from './request-log.ts'

export type TotalsFilter = Omit<RequestFilter, 'limit' | 'cursor'>

const SUMS = {
  // A row represents as many as its `count`.
  requests: 'sum(count)',
  tokensIn: MEASURES.tokensIn.ofRows,
  tokensOut: MEASURES.tokensOut.ofRows,
  tokensCached: MEASURES.tokensCached.ofRows,
  costNano: MEASURES.costNano.ofRows,
  unpriced: `sum(cost_status = ${COST_STATUS_CODES.unknown})`,
  unsettled: `sum(cost_status = ${COST_STATUS_CODES.unsettled})`,
}
type Sums = Record<keyof typeof SUMS, number>

export type RequestTotals = Sums & { costNano: NanoUsd }

const oldestRow = statement<[], { createdAt: number | null }>(
  'SELECT min(created_at) AS createdAt FROM requests',
)

/** The totals of all rows that `listRequests` returns with the filter. */
export function requestTotals(db: Db, filter: TotalsFilter): RequestTotals {
  return db.transaction(() => {
    const sums = readTotals(db, filter)
    return { ...sums, costNano: nanoUsd(sums.costNano) }
  })()
}

function readTotals(db: Db, filter: TotalsFilter): Sums {
  const byIdMatch = filter.q === undefined ? null : getRequest(db, filter.q)
  if (byIdMatch) {
    const term = { sql: 'seq = ?', values: [byIdMatch.seq] }
    return add(sumTable(db, 'requests', [term]), sumTable(db, 'running', [term]))
  }
  return isInSums(filter) ? sumUsage(db, filter) : sumMatching(db, filter)
}

function isInSums({ status, costStatus, minCostNano, maxCostNano, q, session }: TotalsFilter): boolean {
  return [status, costStatus, minCostNano, maxCostNano, q, session].every((each) => each === undefined)
}

/** Usage has neither running nor refused requests, and counts requests whose rows were pruned. */
function sumUsage(db: Db, filter: TotalsFilter): Sums {
  const oldest = oldestRow(db).get()?.createdAt ?? END_OF_TIME
  const from = Math.max(filter.from ?? 0, oldest)
  const to = Math.min(filter.to ?? END_OF_TIME, END_OF_TIME)
  const { keyId: key, model, provider, client, tag } = filter
  const where = omitUndefined({ key, model, provider, client, tag })
  const settled = from < to ? sumRange(db, { group: null, split: null, where }, from, to) : []
  const unsettled = sumMatching(db, { ...filter, costStatus: 'unsettled' }).requests
  const uncounted = [
    sumMatching(db, { ...filter, status: 'refused' }),
    sumTable(db, 'running', createTerms(db, filter).terms),
  ]
  return [...settled.map((sum) => ({ ...sum, unsettled: 0 })), ...uncounted].reduce(add, {
    ...NOTHING,
    unsettled,
  })
}

/** The sums of all rows that match, running ones among them. */
function sumMatching(db: Db, filter: TotalsFilter): Sums {
  const { index, terms } = createTerms(db, filter)
  return add(sumTable(db, `requests INDEXED BY ${index}`, terms), sumTable(db, 'running', terms))
}

function createTerms(db: Db, filter: TotalsFilter): { index: string; terms: Condition[] } {
  const [{ index, seek, indexFilter, rowFilter }] = createPlans(storedFilter(db, { ...filter, limit: 1 }))
  return { index, terms: [...seek, ...indexFilter, ...rowFilter] }
}

const NOTHING = mapSums(() => 0)
const COLUMNS = Object.entries(SUMS).map(([name, sql]) => `${sql} AS ${name}`)

function sumTable(db: Db, table: string, terms: readonly Condition[]): Sums {
  const { where, values } = joinConditions(terms)
  const sql = `SELECT ${COLUMNS.join(', ')} FROM ${table} ${where} HAVING count(*) > 0`
  return db.prepare<SqlValue[], Sums>(sql).get(...values) ?? NOTHING
}

function add(a: Sums, b: Sums): Sums {
  return mapSums((name) => a[name] + b[name])
}

function mapSums(compute: (name: keyof Sums) => number): Sums {
  const names = Object.keys(SUMS) as (keyof Sums)[]
  return Object.fromEntries(names.map((name) => [name, compute(name)])) as Sums
}
