import { isUtf8 } from 'node:buffer'
import type { ChatRequest } from '../../shared/chat.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import { formatUsdHeader } from '../../shared/money.ts'
import { hasSamplePrices } from '../../shared/sandbox.ts'
import { type AnswerSealer, MAX_STORED_BYTES } from '../idempotency/idempotency.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { titleOf } from '../sessions/session-title.ts'
import type { Admitted, InferenceDeps } from './call.ts'
import type { Charge } from './charge.ts'
import type { Observed } from './forecast.ts'
import { RequestAborted } from './in-flight.ts'
import type { Outcome } from './ledger-rows.ts'
import type { Candidate } from './prepare.ts'
import { quotationFilter } from './quoted-prompt.ts'
import { storesBodiesOf } from './stored-bodies.ts'

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

export type FinalOutcome = Omit<Outcome, 'totalMs' | 'bodies' | 'idempotency' | 'sealUnknown'> & {
  /** Whether an upstream may have been sent the request. */
  reached: boolean
  /** As the client gets it. `body`: null for a stream that was not recorded to its end. */
  response: { status: number; headers: Record<string, string>; body: string | Buffer | null }
}

/** How a request ends: first the outcome is settled, then the last bytes are sent. */
export interface Ending {
  outcome: FinalOutcome
  /** For the forecast; null where the usage is not known for certain. */
  observed: Observed | null
  /** Sends the last bytes. To be called once the charge is durable. */
  send(): void
  /** Ends a stream that has begun with an error instead. Absent for an answer in one piece, of which nothing was sent. */
  fail?(error: ErrorBody, status: number): void
}

/** Settles the request, once. Resolves when the charge is durable, or when the entry has its refusal. */
export async function settle(
  { call, entry, rate, startedAt, inFlight }: Admitted,
  { response, reached, ...outcome }: FinalOutcome,
  deps: InferenceDeps,
): Promise<void> {
  const { usage, tokensIn, tokensOut } = outcome.charge
  // Cache reads cost the provider next to nothing: long contexts do not use up the minute's tokens.
  rate.settle(tokensIn - (usage?.cacheRead ?? 0) + tokensOut)
  const storeBodies = storesBodiesOf(call.key, deps)
  const { error, attempts } = storeBodies ? outcome : withoutQuotations(outcome, call.request)
  await deps.ledger.settle(entry, {
    ...outcome,
    error,
    attempts,
    totalMs: deps.clock.monotonic() - startedAt,
    bodies: storeBodies ? bodiesOf() : undefined,
    idempotency: call.sealer ? sealAnswer(call.sealer) : undefined,
    sealUnknown: call.sealer?.sealUnknown,
  })

  function bodiesOf() {
    const text = isUtf8(call.body) ? textOf(storedBody(response)) : null
    if (text === null) return undefined
    const title = call.passThrough ? null : titleOf(call.request)
    return { request: call.body.toString('utf8'), response: text, ...(title === null ? {} : { title }) }
  }

  function sealAnswer(sealer: AnswerSealer) {
    // Nothing was run: the same key may be used again when the reason has passed.
    if (!reached) return sealer.release()
    const isAborted = outcome.status === 'canceled' || inFlight.signal.reason instanceof RequestAborted
    if (isAborted) return sealer.sealUnknown()
    const body = storedBody(response)
    if (body === null) return sealer.sealTooLarge()
    const headers = { ...response.headers, ...requestIdHeaders(call.requestId) }
    return sealer.seal({ status: response.status, headers, body })
  }
}

/** Null for a body that was not recorded to its end, or is too long to be stored. */
function storedBody({ body }: FinalOutcome['response']): string | Buffer | null {
  return body !== null && Buffer.byteLength(body) <= MAX_STORED_BYTES ? body : null
}

/** Null for bytes that are not text: these are not stored with the prompts. */
function textOf(body: string | Buffer | null): string | null {
  if (!Buffer.isBuffer(body)) return body
  return isUtf8(body) ? body.toString('utf8') : null
}

export function costHeaders(charge: Charge): Record<string, string> {
  return {
    'x-service-tokens-in': String(charge.tokensIn),
    'x-service-tokens-out': String(charge.tokensOut),
    // Without a price there is no honest number to give.
    ...(charge.costNano === null ? {} : { 'x-service-cost-usd': formatUsdHeader(charge.costNano) }),
  }
}

/** Tells the client that the cost is not billed. */
export function sampleHeader({ offer }: Pick<Candidate, 'offer'>): Record<string, string> {
  return hasSamplePrices(offer.providerId) ? { 'x-tollgate-sample-cost': 'true' } : {}
}

/** Tells the client that its answer may be shorter than it asked for, because a strict limit leaves no more. */
export function outputLimitHeader({ shortenedTo }: Pick<Candidate, 'shortenedTo'>): Record<string, string> {
  return shortenedTo === null ? {} : { 'x-tollgate-output-limit': String(shortenedTo) }
}

/** The errors as they are stored: prompts are stored only where the user wants it, and providers quote them. */
function withoutQuotations(
  { error, attempts }: Pick<Outcome, 'error' | 'attempts'>,
  request: ChatRequest,
): Pick<Outcome, 'error' | 'attempts'> {
  if (error === null && attempts.every((attempt) => attempt.error === null)) return { error, attempts }
  const filter = quotationFilter(request)
  return {
    error: error && { ...error, message: filter(error.message) },
    attempts: attempts.map((attempt) =>
      attempt.error === null ? attempt : { ...attempt, error: filter(attempt.error) },
    ),
  }
}
