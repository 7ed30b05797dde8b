// Owns how a row of the ledger becomes a StoredRequest.
import type { ErrorBody } from '../../shared/errors.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import type { AppliedPrice, Attempt, CostStatus, RequestStatus, UsageBuckets } from '../../shared/requests.ts'
import type { StoredRequest } from './rows.ts'
import { fromJson } from './statement.ts'

export interface RequestRow {
  seq: number
  id: string
  created_at: number
  key_id: string
  requested_model: string
  model: string | null
  provider: string | null
  stream: 0 | 1
  status: RequestStatus
  http_status: number | null
  error: string | null
  tokens_in: number
  tokens_out: number
  usage: string | null
  cost_nano: number | null
  cost_status: CostStatus
  cost_low_nano: number | null
  cost_high_nano: number | null
  reserved_nano: number
  estimate_nano: number | null
  price: string | null
  attempts: string
  queue_ms: number | null
  first_byte_ms: number | null
  total_ms: number | null
  client: string | null
  count: number
  last_at: number | null
  /** Only where a statement asks for it: a request that still runs has none kept. */
  bodies_kept?: 0 | 1
  settled_at: number | null
}

/** Rows from before cached audio was counted lack it. */
function readUsage(text: string | null): UsageBuckets | null {
  const usage = fromJson<Omit<UsageBuckets, 'cacheReadAudio'>>(text)
  return usage && { cacheReadAudio: 0, ...usage }
}

export function toRequest(row: RequestRow): StoredRequest {
  return {
    seq: row.seq,
    id: row.id,
    createdAt: row.created_at,
    keyId: row.key_id,
    requestedModel: row.requested_model,
    model: row.model,
    provider: row.provider,
    stream: row.stream === 1,
    status: row.status,
    httpStatus: row.http_status,
    error: fromJson<ErrorBody>(row.error),
    tokensIn: row.tokens_in,
    tokensOut: row.tokens_out,
    usage: readUsage(row.usage),
    costNano: money(row.cost_nano),
    costStatus: row.cost_status,
    costLowNano: money(row.cost_low_nano),
    costHighNano: money(row.cost_high_nano),
    reservedNano: nanoUsd(row.reserved_nano),
    estimateNano: money(row.estimate_nano),
    price: fromJson<AppliedPrice>(row.price),
    attempts: fromJson<Attempt[]>(row.attempts) ?? [],
    timings: { queueMs: row.queue_ms, firstByteMs: row.first_byte_ms, totalMs: row.total_ms },
    client: row.client,
    count: row.count,
    lastAt: row.last_at,
    bodiesKept: row.bodies_kept === 1,
    settledAt: row.settled_at,
  }
}

function money(value: number | null): NanoUsd | null {
  return value === null ? null : nanoUsd(value)
}
