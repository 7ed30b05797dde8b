// Owns which index a listing walks, and what is left to be tested of each row that it finds. Knows nothing of pages.
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
  /** What the index answers by itself. */
  walked: Term[]
  /** What each entry of the index is tested for before its row is looked at. */
  tested: Term[]
  /** What each row is tested for. */
  searched: Term[]
}

interface Lead extends Term {
  index: string
}

/** Costs that few requests have; the index holds these alone, and is found only by the words it was made with. */
const OPEN_COSTS = "cost_status IN ('unsettled', 'unknown', 'confirmed')"
const OPEN_COST_STATUSES: readonly RequestFilter['costStatus'][] = ['unsettled', 'unknown', 'confirmed']

/**
 * The ways to answer a filter, the one that walks the fewest rows first. With costs asked for there may be two, because
 * the costs alone stand in the order of time: which one is better depends on the rows.
 */
export function plansOf(filter: RequestFilter): [Plan, Plan | null] {
  const [lead, ...others] = leadsOf(filter)
  const times = timesOf(filter)
  const costs = costsOf(filter)
  const searched = [...statusOf(filter), ...searchOf(filter)]
  const byTime = { index: 'requests_by_time', walked: times, tested: costs }
  if (!lead) return [{ ...byTime, searched }, null]
  const byLead: Plan = {
    index: lead.index,
    walked: [lead, ...times],
    tested: [],
    searched: [...others, ...costs, ...searched],
  }
  if (costs.length === 0 || lead.index === 'requests_open_cost') return [byLead, null]
  return [byLead, { ...byTime, searched: [lead, ...others, ...searched] }]
}

/** What an index of its own answers: unknown costs and failures are rarer than keys, keys rarer than providers and models. */
function leadsOf({ keyId, provider, model, status, costStatus }: RequestFilter): Lead[] {
  const lead = (index: string, sql: string, value: SqlValue | undefined): Lead[] =>
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
    // What is free costs nothing, and the index knows that.
    ...(costStatus === 'free' ? term('cost_nano = ?', 0) : []),
  ]
}

function statusOf({ costStatus }: RequestFilter): Term[] {
  return OPEN_COST_STATUSES.includes(costStatus) ? [] : term('cost_status = ?', costStatus)
}

// One text to search, so that the pattern binds once. U+001F stands in none of the parts.
const SEARCH = `concat_ws(char(31), id, requested_model, model, error ->> '$.message', client) LIKE ? ESCAPE '\\'`

function searchOf({ q }: RequestFilter): Term[] {
  return q ? term(SEARCH, `%${q.replace(/[\\%_]/g, '\\$&')}%`) : []
}

function term(sql: string, value: SqlValue | undefined): Term[] {
  return value === undefined ? [] : [{ sql, value }]
}
