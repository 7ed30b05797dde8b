import { isUtf8 } from 'node:buffer'
import type { ErrorBody } from '../../shared/api/errors.ts'
import { storesBodies } from '../../shared/api/terms.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { formatUsdHeader, nanoToUsd, subtractUsd, ZERO_USD } from '../../shared/money/money.ts'
import { type AnswerSealer, MAX_STORED_BYTES } from '../idempotency/idempotency.ts'
import type { KeyState } from '../keys/key-state.ts'
import { quotationFilter } from '../observe/request-log/quoted-prompt.ts'
import type { Clock } from '../platform/clock.ts'
import { requestIdHeaders } from '../platform/ids.ts'
import { getTitle } from '../sessions/session-title.ts'
import type { Settings } from '../settings/settings.ts'
import type { RateAdmission } from '../spend/rates/rate-limits.ts'
import { type Charge, FREE } from './charge.ts'
import type { Observation } from './forecast.ts'
import { RequestAborted } from './in-flight.ts'
import type { Entry, FinalOutcome, Outcome } from './ledger.ts'
import type { Arrival, Run } from './run.ts'
import type { TokenMeter } from './token-meter.ts'

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }

/** How a request ends: first the outcome is settled, then the last bytes are sent. */
export interface Ending {
  outcome: FinalOutcome
  /** For the forecast; null where the usage is not known for certain. */
  observed: Observation | null
  /** Sends the last bytes. To be called once the charge is durable. */
  send(): void
  /** Ends a stream that has begun with an error instead. Absent for an answer in one piece, of which nothing was sent. */
  fail?(error: ErrorBody, status: number): void
}

/** A request whose row is open, with or without a provider that answers it. */
interface OpenRequest {
  arrival: Arrival
  entry: Entry
  rate: RateAdmission
  /** Absent for an answer without a provider. */
  meter?: TokenMeter
}

/** Settles the request, once. Resolves when the charge is durable, or when the entry has its refusal. */
export function settle(
  { arrival, entry, rate, meter }: OpenRequest,
  { response, reached, ...outcome }: FinalOutcome,
): Promise<void> {
  const { call, deps, inFlight } = arrival
  const { usage, tokensIn, tokensOut } = outcome.charge
  // Cache reads cost the provider next to nothing: long contexts do not use up the minute's tokens.
  rate.settle(tokensIn - (usage?.cacheRead ?? 0) + tokensOut)
  const storeBodies = shouldStoreBodies(call.key, deps)
  const { error, attempts } = storeBodies ? outcome : withoutQuotations(outcome, call.request)
  return deps.ledger.settle(entry, {
    ...outcome,
    error,
    attempts,
    totalMs: arrival.elapsedMs,
    finishReason: meter?.finishReason ?? null,
    bodies: storeBodies ? getBodies() : undefined,
    idempotency: call.sealer ? sealAnswer(call.sealer) : undefined,
    sealUnknown: call.sealer?.sealUnknown,
  })

  function getBodies() {
    const text = isUtf8(call.body) ? getText(storedBody(response)) : null
    if (text === null) return undefined
    const title = call.mode.kind === 'raw' ? null : getTitle(call.request)
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
function getText(body: string | Buffer | null): string | null {
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

export const FAULT: ErrorBody = { type: 'server_error', message: 'Something went wrong inside Tollgate.' }

/**
 * Settles a request that is not settled yet when Tollgate itself fails, so that nothing stays reserved. Never throws: the
 * fault itself is what is reported.
 */
export async function settleFault(run: Run): Promise<void> {
  const { deps, entry } = run
  const error = FAULT
  const { offer } = run.serving ?? run.candidates[0]
  const charge = chargeFault(run)
  const { costNano, costHighNano } = charge
  const outcome = {
    charge,
    heldNano: costNano === null || costHighNano === null ? ZERO_USD : subtractUsd(costHighNano, costNano),
    model: offer.id,
    provider: offer.providerId,
    attempts: [],
    firstByteMs: null,
    status: 'failed' as const,
    httpStatus: 500,
    error,
  }
  try {
    const { codec, requestId } = run.call
    const body = JSON.stringify(codec.errorBody(error, 500, requestId))
    const response = { status: 500, headers: JSON_TYPE, body }
    await settle(run, { ...outcome, reached: true, response })
  } catch {
    // The fault may be in a part that settling needs, so this uses only the ledger.
    try {
      await deps.ledger.settle(entry, { ...outcome, totalMs: 0 })
    } catch {
      // Its reservation is released below, and its row is settled by estimate at the next start.
    }
  } finally {
    // The ledger keeps its holds reserved.
    const { reservation } = entry
    if (!reservation.held) deps.budget.release(reservation)
  }
}

/** Where even the meter fails, the reserved amount. */
function chargeFault({ meter, entry, serving, candidates }: Run): Charge {
  const candidate = serving ?? candidates[0]
  const reserved = entry.reservation.amount
  try {
    if (serving && meter.hasOutput) return meter.computeCharge(serving, true)
    return meter.unsettledCharge(candidate, null, { likely: candidate.quote.unseen, max: reserved })
  } catch {
    return {
      ...FREE,
      costNano: reserved,
      costStatus: 'unsettled',
      costLowNano: ZERO_USD,
      costHighNano: reserved,
    }
  }
}

/**
 * Logs the attempts that failed, without their error texts: providers quote prompts in them. Also logs a report that was
 * not charged because it cannot be true, and tells the owner.
 */
export function reportProblems(
  { call: { requestId }, deps: { log, doubtReport } }: Run,
  { attempts, status: outcome, charge, provider: served, model: servedModel }: FinalOutcome,
): void {
  // A disconnection by the client is not the provider's failure.
  const level = outcome === 'canceled' ? 'debug' : 'warn'
  for (const { provider, model, status, ms, error } of attempts) {
    if (error === null) continue
    log[level]('Attempt failed', {
      requestId,
      provider,
      model,
      durationMs: ms,
      ...(status === null ? {} : { status }),
    })
  }
  const { costStatus, costNano, costHighNano } = charge
  if (costStatus !== 'estimated' || costNano === null || costHighNano === null || served === null) return
  log.warn(
    `The provider reported ${nanoToUsd(costHighNano)} USD, more than the request can cost; ${nanoToUsd(costNano)} USD are charged`,
    { requestId, provider: served, ...(servedModel !== null && { model: servedModel }) },
  )
  doubtReport({ requestId, providerId: served, chargedNano: costNano, reportedNano: costHighNano })
}

/** Whether the prompt and the answer of a request that ends now are stored. */
export function shouldStoreBodies(
  { storeBodies }: Pick<KeyState, 'storeBodies'>,
  { settings, clock }: { settings: Settings; clock: Clock },
): boolean {
  return storeBodies ?? storesBodies(settings.value, clock.now())
}
