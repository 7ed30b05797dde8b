// Chooses the index for a listing, and the conditions that the index cannot answer.

import type { CostStatus, RequestStatus } from '../../../shared/api/requests.ts'
import type { NanoUsd } from '../../../shared/money/money.ts'
import { type Condition, condition, type SqlValue } from '../engine/statement.ts'
import { COST_STATUS_CODES, STATUS_CODES } from '../ledger/request-codecs.ts'

export interface RequestFilter {
  /** 1 to 500. */
  limit: number
  /** `nextCursor` of the page before. Anything else throws a StoreError with code `bad_cursor`. */
  cursor?: string
  keyId?: string
  /** The model that served, or the requested one where none did. */
  model?: string
  provider?: string
  /** The name of the calling program; '' for requests without one. */
  client?: string
  session?: string
  /** '' for requests without one. */
  tag?: string
  /** An outcome, or an HTTP status. */
  status?: RequestStatus | number
  /** Inclusive. */
  from?: number
  /** Exclusive. */
  to?: number
  /** Inclusive. A request whose cost is not known matches neither. */
  minCostNano?: NanoUsd
  maxCostNano?: NanoUsd
  costStatus?: CostStatus
  /** Only requests after which an amount stays reserved. */
  held?: boolean
  /** A substring of the id, either model name, the error message, the endpoint, the client or its name; ASCII letters in any case. */
  q?: string
}

/** A filter whose texts are as they are stored. */
export interface StoredFilter
  extends Omit<RequestFilter, 'keyId' | 'model' | 'provider' | 'session' | 'tag'> {
  keyId?: SqlValue
  model?: SqlValue
  provider?: SqlValue
  session?: SqlValue
  /** Null for requests without one. */
  tag?: SqlValue
  /** JSON arrays of the numbers of clients: those with the name, and those whose name has the text searched for. */
  clientsNamed?: string
  clientsFound?: string
}

export interface Plan {
  index: string
  /** Conditions that the index answers by its order. */
  seek: Condition[]
  /** Conditions on columns of the index, tested before the row is read. */
  indexFilter: Condition[]
  /** Conditions that need the row. */
  rowFilter: Condition[]
}

interface IndexedTerm extends Condition {
  index: string
}

// The conditions of the partial indexes. SQLite uses such an index only for the exact expression it was created with.
const OPEN_COSTS = 'cost_status IN (3, 4, 5)'
const NOT_SUCCEEDED = 'status <> 1'
const NOT_OK = 'http_status <> 200'
const OPEN_COST_STATUSES: readonly StoredFilter['costStatus'][] = ['unsettled', 'unknown', 'confirmed']

/** Indexes of the few requests with a high cost, highest first. */
const HIGH_COSTS = [
  { index: 'requests_over_10_usd', nano: 10_000_000_000 },
  { index: 'requests_over_1_usd', nano: 1_000_000_000 },
  { index: 'requests_over_10_cents', nano: 100_000_000 },
]

/**
 * The plans for a filter, the one that reads the fewest rows first. With a filter by cost there may be two, because the
 * index by time contains the costs as well: which plan is better depends on the data.
 */
export function createPlans(filter: StoredFilter): [Plan, Plan | null] {
  const [lead, ...others] = candidateIndexes(filter)
  const times = filterTimes(filter)
  const costs = filterCosts(filter)
  const rowFilter = [findClient, withoutTag, filterSuccess, readCostStatus, filterSearch].flatMap((of) =>
    of(filter),
  )
  const held = filterHeld(filter)
  const byTime = { index: 'requests_by_time', seek: times, indexFilter: [...held, ...costs] }
  const highCost = findHighCost(filter)
  // Failures and open costs are as rare as high costs, and most have none.
  if (highCost && !(lead && RARE_INDEXES.has(lead.index))) {
    const { index, ...term } = highCost
    const byCost = { index, seek: [term, ...times], indexFilter: [...held, ...costs] }
    return [{ ...byCost, rowFilter: [...(lead ? [lead, ...others] : []), ...rowFilter] }, null]
  }
  if (!lead) return [{ ...byTime, rowFilter }, null]
  const byLead: Plan = {
    index: lead.index,
    seek: [lead, ...times],
    indexFilter: held,
    rowFilter: [...others, ...costs, ...rowFilter],
  }
  if (costs.length === 0 || ALWAYS_BEST.has(lead.index)) return [byLead, null]
  return [byLead, { ...byTime, rowFilter: [lead, ...others, ...rowFilter] }]
}

/** Fewer rows than the index by time could have in any range. */
const ALWAYS_BEST: ReadonlySet<string> = new Set(['requests_open_cost', 'requests_by_session'])

function findHighCost({ minCostNano }: StoredFilter): IndexedTerm | null {
  if (minCostNano === undefined) return null
  const found = HIGH_COSTS.find(({ nano }) => minCostNano >= nano)
  return found
    ? { index: found.index, sql: `cost_nano >= ${found.nano} AND cost_nano >= ?`, values: [found.nano] }
    : null
}

const RARE_INDEXES: ReadonlySet<string> = new Set([
  'requests_by_session',
  'requests_open_cost',
  'requests_by_status',
  'requests_by_http_status',
])

/** Conditions with an index, rarest first: sessions, open costs and failures, then tags, keys, providers and models. */
function candidateIndexes(filter: StoredFilter): IndexedTerm[] {
  const { keyId, provider, model, session, tag, status, costStatus } = filter
  const lead = (index: string, sql: string, value: SqlValue | undefined): IndexedTerm[] =>
    condition(sql, value).map((found) => ({ index, ...found }))
  const outcome = typeof status === 'string' && status !== 'succeeded' ? STATUS_CODES[status] : undefined
  const code = typeof status === 'number' && status !== 200 ? status : undefined
  const open =
    costStatus && OPEN_COST_STATUSES.includes(costStatus) ? COST_STATUS_CODES[costStatus] : undefined
  const running = costStatus === 'pending' ? STATUS_CODES.running : undefined
  return [
    ...lead('requests_by_session', 'session = ?', session),
    ...lead('requests_open_cost', `${OPEN_COSTS} AND cost_status = ?`, open),
    ...lead('requests_by_status', `${NOT_SUCCEEDED} AND status = ?`, running),
    ...lead('requests_by_status', `${NOT_SUCCEEDED} AND status = ?`, outcome),
    ...lead('requests_by_http_status', `${NOT_OK} AND http_status = ?`, code),
    ...lead('requests_by_tag', 'tag = ?', tag ?? undefined),
    ...lead('requests_by_key', 'key_id = ?', keyId),
    ...lead('requests_by_provider', 'provider = ?', provider),
    ...lead('requests_by_model', 'coalesce(model, requested_model) = ?', model),
  ]
}

function filterTimes({ from, to, held }: StoredFilter): Condition[] {
  return [
    ...condition('created_at >= ?', from),
    ...condition('created_at < ?', to),
    // A hold lasts a day at most: no older row needs to be read.
    ...(held ? [{ sql: `created_at >= (${OLDEST_HELD})`, values: [] }] : []),
  ]
}

const OLDEST_HELD = 'SELECT min(held.created_at) FROM holds JOIN requests AS held USING (seq)'

/** Every index has the number of its rows. */
function filterHeld({ held }: StoredFilter): Condition[] {
  return held ? [{ sql: 'seq IN (SELECT seq FROM holds)', values: [] }] : []
}

function filterCosts({ minCostNano, maxCostNano, costStatus }: StoredFilter): Condition[] {
  return [
    ...condition('cost_nano >= ?', minCostNano),
    ...condition('cost_nano <= ?', maxCostNano),
    // Free requests cost 0, which the index contains.
    ...(costStatus === 'free' ? condition('cost_nano = ?', 0) : []),
  ]
}

/** Most requests succeed, so no index has them. */
function filterSuccess({ status }: StoredFilter): Condition[] {
  if (status === 'succeeded') return condition('status = ?', STATUS_CODES.succeeded)
  return status === 200 ? condition('http_status = ?', status) : []
}

function readCostStatus({ costStatus }: StoredFilter): Condition[] {
  if (costStatus === undefined || OPEN_COST_STATUSES.includes(costStatus)) return []
  return condition('cost_status = ?', COST_STATUS_CODES[costStatus])
}

// One text to search, so that the pattern is bound once. U+001F occurs in none of the parts.
const SEARCH = `concat_ws(char(31),
  iif(typeof(id) = 'blob', 'req_' || lower(hex(id)), id),
  ${['requested_model', 'model', 'client', 'endpoint'].map(sharedText).join(', ')},
  error ->> '$.message') LIKE ? ESCAPE '\\'`

function sharedText(column: string): string {
  return `iif(typeof(${column}) = 'text', ${column}, (SELECT text FROM texts WHERE nr = ${column}))`
}

function filterSearch({ q, clientsFound = '[]' }: StoredFilter): Condition[] {
  if (!q) return []
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`
  return [{ sql: `(${SEARCH} OR ${CLIENT_IN})`, values: [pattern, clientsFound] }]
}

const CLIENT_IN = 'client IN (SELECT value FROM json_each(?))'

function findClient({ client, clientsNamed = '[]' }: StoredFilter): Condition[] {
  if (client === undefined) return []
  const sql = client === '' ? `(client IS NULL OR ${CLIENT_IN})` : CLIENT_IN
  return [{ sql, values: [clientsNamed] }]
}

function withoutTag({ tag }: StoredFilter): Condition[] {
  return tag === null ? [{ sql: 'tag IS NULL', values: [] }] : []
}
