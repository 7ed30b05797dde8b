// Owns how the end of a request is told and booked: to the client, in the headers, and once in the ledger.
import type { ChatRequest } from '../../shared/chat.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import { formatUsdHeader } from '../../shared/money.ts'
import type { UpstreamFailure } from '../formats/upstream-failure.ts'
import { type AnswerSealer, MAX_STORED_BYTES } from '../idempotency/idempotency.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { clientError } from '../upstream/client-error.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import type { Charge } from './charge.ts'
import { ClientDisconnected, RequestAborted } from './in-flight.ts'
import type { Outcome } from './ledger-rows.ts'
import { quotationFilter } from './quoted-prompt.ts'

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

export interface Told {
  status: number
  error: ErrorBody
  retryAfterSeconds?: number | undefined
}

/** What the client is to be told: our own reason when we ended the request, else what the upstream's failure means. */
export function tell(failure: UpstreamFailure, signal: AbortSignal): Told {
  if (signal.reason instanceof RequestAborted)
    return { status: signal.reason.status, error: signal.reason.body }
  const { status, retryAfterSeconds, ...error } = clientError(failure)
  return { status, error, retryAfterSeconds }
}

export function statusOf(failure: UpstreamFailure | null, signal: AbortSignal): Outcome['status'] {
  if (!failure) return 'succeeded'
  return signal.reason instanceof ClientDisconnected ? 'canceled' : 'failed'
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
  /** Whether any upstream may have been sent the request. */
  reached: boolean
  /** `body`: null when it was not recorded to its end. */
  kept: { status: number; headers: Record<string, string>; body: string | null }
}

/** Books the end of a request, once. Resolves when the charge is durable. */
export async function settle(
  admitted: Admitted,
  deps: InferenceDeps,
  { kept, reached, ...outcome }: Settled,
): Promise<void> {
  const { call, entry, rate, startedAt, inFlight } = admitted
  const { usage, tokensIn, tokensOut } = outcome.charge
  // What a provider read from its cache cost it next to nothing: long contexts do not use up the minute's tokens.
  rate.settle(tokensIn - (usage?.cacheRead ?? 0) + tokensOut)
  const headers = { ...kept.headers, ...requestIdHeaders(call.requestId) }
  const body = kept.body !== null && Buffer.byteLength(kept.body) <= MAX_STORED_BYTES ? kept.body : null
  const { storeBodies } = deps.settings.value
  await deps.ledger.settle(entry, {
    ...outcome,
    ...(storeBodies ? {} : withoutQuotations(outcome, call.request)),
    totalMs: deps.clock.monotonic() - startedAt,
    bodies:
      storeBodies && body !== null ? { request: call.body.toString('utf8'), response: body } : undefined,
    idempotency: call.sealer ? keptFor(call.sealer) : undefined,
  })

  function keptFor(sealer: AnswerSealer) {
    // Nothing was run: the same key may be used again when the reason has passed.
    if (!reached) return sealer.release()
    if (outcome.status === 'canceled' || inFlight.signal.reason instanceof RequestAborted)
      return sealer.sealUnknown()
    return body === null ? sealer.sealTooLarge() : sealer.seal({ status: kept.status, headers, body })
  }
}

/** What is kept of the errors: prompts are kept only where the user wants it, and providers quote them. */
function withoutQuotations(
  { error, attempts }: Pick<Outcome, 'error' | 'attempts'>,
  request: ChatRequest,
): Pick<Outcome, 'error' | 'attempts'> {
  const filter = quotationFilter(request)
  return {
    error: error && { ...error, message: filter(error.message) },
    attempts: attempts.map((attempt) =>
      attempt.error === null ? attempt : { ...attempt, error: filter(attempt.error) },
    ),
  }
}
