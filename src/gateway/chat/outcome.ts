// Owns how the end of a request is told and booked: to the client, in the headers, and once in the ledger.
import type { ErrorBody } from '../../shared/errors.ts'
import { formatUsdHeader } from '../../shared/money.ts'
import { requestIdHeaders } from '../ids.ts'
import { clientError } from '../upstream/answers.ts'
import type { UpstreamFailure } from '../upstream/failure.ts'
import type { Admitted, ChatRooms } from './call.ts'
import type { Outcome } from './ledger-rows.ts'
import type { Charge } from './meter.ts'
import { ClientGone, Ended } from './running.ts'

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

export interface Told {
  status: number
  error: ErrorBody
  retryAfterSeconds?: number | undefined
}

/** What the client is to be told: our own reason when we ended the request, else what the upstream's failure means. */
export function tell(failure: UpstreamFailure, signal: AbortSignal): Told {
  if (signal.reason instanceof Ended) return { status: signal.reason.status, error: signal.reason.body }
  const { status, retryAfterSeconds, ...error } = clientError(failure)
  return { status, error, retryAfterSeconds }
}

export function statusOf(failure: UpstreamFailure | null, signal: AbortSignal): Outcome['status'] {
  if (!failure) return 'succeeded'
  return signal.reason instanceof ClientGone ? 'canceled' : 'failed'
}

export function costHeaders(charge: Charge): Record<string, string> {
  return {
    'x-service-tokens-in': String(charge.tokensIn),
    'x-service-tokens-out': String(charge.tokensOut),
    // Without a price there is no honest number to give.
    ...(charge.costNano === null ? {} : { 'x-service-cost-usd': formatUsdHeader(charge.costNano) }),
  }
}

export type Settled = Omit<Outcome, 'totalMs' | 'bodies' | 'idempotency'> & {
  kept: { status: number; headers: Record<string, string>; body: string }
}

export async function settle(
  admitted: Admitted,
  rooms: ChatRooms,
  { kept, ...outcome }: Settled,
): Promise<void> {
  const { call, entry, rate, startedAt } = admitted
  const gone = outcome.status === 'canceled'
  const { usage, tokensIn, tokensOut } = outcome.charge
  // What a provider read from its cache cost it next to nothing: long contexts do not use up the minute's tokens.
  rate.settle(tokensIn - (usage?.cacheRead ?? 0) + tokensOut)
  const headers = { ...kept.headers, ...requestIdHeaders(call.requestId) }
  await rooms.ledger.settle(entry, {
    ...outcome,
    totalMs: rooms.clock.monotonic() - startedAt,
    bodies: rooms.settings.value.storeBodies ? { request: call.body, response: kept.body } : undefined,
    idempotency: call.sealer
      ? gone
        ? call.sealer.lost()
        : call.sealer.seal({ ...kept, headers })
      : undefined,
  })
}
