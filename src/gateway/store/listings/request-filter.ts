// The filter of the request log as conditions in SQL.
import type { CostStatus, RequestStatus } from '../../../shared/api/requests.ts'
import type { NanoUsd } from '../../../shared/money/money.ts'
import { type Condition, condition } from '../sql/statement.ts'

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
  /** '' for requests that are no line of a batch. */
  batch?: string
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

// SQLite uses an index of some rows only for a query that repeats the condition of the index.
const OPEN_COSTS = "cost_status IN ('unsettled', 'unknown', 'confirmed')"
const OPEN_COST_STATUSES: readonly CostStatus[] = ['unsettled', 'unknown', 'confirmed']
const NOT_SUCCEEDED = "status <> 'succeeded'"

// One text to search, so that the pattern is bound once. U+001F occurs in none of the parts.
const SEARCHED = `concat_ws(char(31), id, requested_model, model, client, client_name, endpoint, error ->> '$.message')`

export function listConditions(filter: Omit<RequestFilter, 'limit' | 'cursor'>): Condition[] {
  const { keyId, model, provider, client, session, tag, from, to, costStatus, held, q } = filter
  return [
    ...condition('session = (SELECT nr FROM sessions WHERE id = ?)', session),
    ...condition('key_id = ?', keyId),
    ...condition('provider = ?', provider),
    ...condition('coalesce(model, requested_model) = ?', model),
    ...condition('client_name = ?', client),
    ...condition('tag IS ?', tag === '' ? null : tag),
    ...filterStatus(filter),
    ...condition(
      costStatus && OPEN_COST_STATUSES.includes(costStatus)
        ? `${OPEN_COSTS} AND cost_status = ?`
        : 'cost_status = ?',
      costStatus,
    ),
    ...filterBatch(filter),
    ...condition('created_at >= ?', from),
    ...condition('created_at < ?', to),
    ...condition('cost_nano >= ?', filter.minCostNano),
    ...condition('cost_nano <= ?', filter.maxCostNano),
    ...(held ? [{ sql: 'seq IN (SELECT seq FROM holds)', values: [] }] : []),
    ...(q ? [{ sql: `${SEARCHED} LIKE ? ESCAPE '\\'`, values: [`%${q.replace(/[\\%_]/g, '\\$&')}%`] }] : []),
  ]
}

/** Batches are agents of their session. */
function filterBatch({ batch }: Pick<RequestFilter, 'batch'>): Condition[] {
  return condition(
    batch === '' ? 'agent_type IS NOT ?' : "agent_type = 'batch' AND agent_id = ?",
    batch === '' ? 'batch' : batch,
  )
}

function filterStatus({ status }: Pick<RequestFilter, 'status'>): Condition[] {
  if (typeof status === 'number') return condition('http_status = ?', status)
  return condition(status === 'succeeded' ? 'status = ?' : `${NOT_SUCCEEDED} AND status = ?`, status)
}
