// Chooses the index for a listing, and the conditions that the index cannot answer.
import type { NanoUsd } from '../../shared/money.ts'
import type { CostStatus, RequestStatus } from '../../shared/requests.ts'
import type { SqlValue } from './statement.ts'

export interface RequestFilter {
  /** 1 to 500. */
  limit: number
  /** `nextCursor` of the page before. Anything else throws a StoreError with code `bad_cursor`. */
  cursor?: string
  keyId?: string
  /** The model that served, or the requested one where none did. */
  model?: string
  provider?: string
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
  /** A substring of the id, either model name, the error message or the client; ASCII letters in any case. */
  q?: string
}

export interface Term {
  sql: string
  value: SqlValue
}

export interface Plan {
  index: string
  /** Conditions that the index answers by its order. */
  seek: Term[]
  /** Conditions on columns of the index, tested before the row is read. */
  indexFilter: Term[]
  /** Conditions that need the row. */
  rowFilter: Term[]
}

interface IndexedTerm extends Term {
  index: string
}

/** Cost statuses of few requests. SQLite uses the partial index only for the exact expression it was created with. */
const OPEN_COSTS = "cost_status IN ('unsettled', 'unknown', 'confirmed')"
const OPEN_COST_STATUSES: readonly RequestFilter['costStatus'][] = ['unsettled', 'unknown', 'confirmed']

/**
 * The plans for a filter, the one that reads the fewest rows first. With a filter by cost there may be two, because the
 * index by time contains the costs as well: which plan is better depends on the data.
 */
export function plansOf(filter: RequestFilter): [Plan, Plan | null] {
  const [lead, ...others] = candidateIndexes(filter)
  const times = timesOf(filter)
  const costs = costsOf(filter)
  const rowFilter = [...statusOf(filter), ...searchOf(filter)]
  const byTime = { index: 'requests_by_time', seek: times, indexFilter: costs }
  if (!lead) return [{ ...byTime, rowFilter }, null]
  const byLead: Plan = {
    index: lead.index,
    seek: [lead, ...times],
    indexFilter: [],
    rowFilter: [...others, ...costs, ...rowFilter],
  }
  if (costs.length === 0 || lead.index === 'requests_open_cost') return [byLead, null]
  return [byLead, { ...byTime, rowFilter: [lead, ...others, ...rowFilter] }]
}

/** Conditions with an index, rarest first: open costs and failures, then keys, then providers and models. */
function candidateIndexes({ keyId, provider, model, status, costStatus }: RequestFilter): IndexedTerm[] {
  const lead = (index: string, sql: string, value: SqlValue | undefined): IndexedTerm[] =>
    value === undefined ? [] : [{ index, sql, value }]
  const outcome = typeof status === 'string' ? status : undefined
  const code = typeof status === 'number' ? status : undefined
  const open = OPEN_COST_STATUSES.includes(costStatus) ? costStatus : undefined
  return [
    ...lead('requests_open_cost', `${OPEN_COSTS} AND cost_status = ?`, open),
    ...lead('requests_by_status', 'status = ?', costStatus === 'pending' ? 'running' : undefined),
    ...lead('requests_by_status', 'status = ?', outcome === 'succeeded' ? undefined : outcome),
    ...lead('requests_by_http_status', 'http_status = ?', code === 200 ? undefined : code),
    ...lead('requests_by_key', 'key_id = ?', keyId),
    ...lead('requests_by_provider', 'provider = ?', provider),
    ...lead('requests_by_model', 'coalesce(model, requested_model) = ?', model),
    ...lead('requests_by_http_status', 'http_status = ?', code === 200 ? code : undefined),
    ...lead('requests_by_status', 'status = ?', outcome === 'succeeded' ? outcome : undefined),
  ]
}

function timesOf({ from, to }: RequestFilter): Term[] {
  return [...term('created_at >= ?', from), ...term('created_at < ?', to)]
}

function costsOf({ minCostNano, maxCostNano, costStatus }: RequestFilter): Term[] {
  return [
    ...term('cost_nano >= ?', minCostNano),
    ...term('cost_nano <= ?', maxCostNano),
    // Free requests cost 0, which the index contains.
    ...(costStatus === 'free' ? term('cost_nano = ?', 0) : []),
  ]
}

function statusOf({ costStatus }: RequestFilter): Term[] {
  return OPEN_COST_STATUSES.includes(costStatus) ? [] : term('cost_status = ?', costStatus)
}

// One text to search, so that the pattern is bound once. U+001F occurs in none of the parts.
const SEARCH = `concat_ws(char(31), id, requested_model, model, error ->> '$.message', client) LIKE ? ESCAPE '\\'`

function searchOf({ q }: RequestFilter): Term[] {
  return q ? term(SEARCH, `%${q.replace(/[\\%_]/g, '\\$&')}%`) : []
}

function term(sql: string, value: SqlValue | undefined): Term[] {
  return value === undefined ? [] : [{ sql, value }]
}
