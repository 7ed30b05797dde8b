// The totals of a listing. They come from the sums of usage where those have its filters, or else from all rows that match.
import { type NanoUsd, nanoUsd } from '../../../shared/money/money.ts'
import { type Db, type SqlValue, statement } from '../engine/statement.ts'
import { COST_STATUS_CODES } from '../ledger/request-codecs.ts'
import { MEASURES } from '../sums/rollup-columns.ts'
import { sumRange, type UsageValues } from '../sums/rollup-query.ts'
import { createPlans, type RequestFilter, type Term } from './request-index.ts'
import { getRequest, storedFilter } from './request-log.ts'

export type TotalsFilter = Omit<RequestFilter, 'limit' | 'cursor'>

export interface RequestTotals extends Omit<Sums, 'costNano'> {
  costNano: NanoUsd
}

interface Sums {
  /** A row represents as many as its `count`. */
  requests: number
  tokensIn: number
  tokensOut: number
  tokensCached: number
  costNano: number
  unpriced: number
  unsettled: number
}

/** Later than any request. */
const END_OF_TIME = Date.UTC(9999, 11, 31)

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
  const where = listValues(filter)
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

function listValues({ keyId, model, provider, client, tag }: TotalsFilter): UsageValues {
  return {
    ...(keyId === undefined ? {} : { key: keyId }),
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(client === undefined ? {} : { client }),
    ...(tag === undefined ? {} : { tag }),
  }
}

/** The sums of all rows that match, running ones among them. */
function sumMatching(db: Db, filter: TotalsFilter): Sums {
  const { index, terms } = createTerms(db, filter)
  return add(sumTable(db, `requests INDEXED BY ${index}`, terms), sumTable(db, 'running', terms))
}

function createTerms(db: Db, filter: TotalsFilter): { index: string; terms: Term[] } {
  const [{ index, seek, indexFilter, rowFilter }] = createPlans(storedFilter(db, { ...filter, limit: 1 }))
  return { index, terms: [...seek, ...indexFilter, ...rowFilter] }
}

const NOTHING: Sums = {
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costNano: 0,
  unpriced: 0,
  unsettled: 0,
}

const SUMS = [
  'sum(count) AS requests',
  ...(['tokensIn', 'tokensOut', 'tokensCached', 'costNano'] as const).map(
    (name) => `${MEASURES[name].ofRows} AS ${name}`,
  ),
  `sum(cost_status = ${COST_STATUS_CODES.unknown}) AS unpriced`,
  `sum(cost_status = ${COST_STATUS_CODES.unsettled}) AS unsettled`,
].join(', ')

function sumTable(db: Db, table: string, terms: readonly Term[]): Sums {
  const where = terms.length > 0 ? `WHERE ${terms.map(({ sql }) => sql).join(' AND ')}` : ''
  const sums = db
    .prepare<SqlValue[], Sums>(`SELECT ${SUMS} FROM ${table} ${where} HAVING count(*) > 0`)
    .get(...terms.flatMap(({ values }) => values))
  return sums ?? NOTHING
}

function add(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    tokensCached: a.tokensCached + b.tokensCached,
    costNano: a.costNano + b.costNano,
    unpriced: a.unpriced + b.unpriced,
    unsettled: a.unsettled + b.unsettled,
  }
}
