// The way of one chat request, top to bottom: find who serves it, admit, reserve, write down, dispatch, answer, settle.
// Once it is written down, nothing leaves `complete` without settling it: whatever is thrown ends in `settleFault`.
import type { Offer } from '../catalog/offers.ts'
import { GatewayError } from '../platform/errors.ts'
import { unlessAborted } from '../platform/unless-aborted.ts'
import { isRejection } from '../request-log/rejections.ts'
import { type Dispatched, DispatchFailure, dispatch, type FailedTry } from '../routing/dispatch.ts'
import type { NewRequest } from '../store/store.ts'
import { aboutPromptTokens, imagesIn, promptTokens } from '../tokens/estimate-tokens.ts'
import { eligible } from './admission.ts'
import { answerPlain, answerStream } from './answer.ts'
import type { Admitted, ChatCall, InferenceDeps } from './call.ts'
import { candidatesOf, noProviderLeft } from './candidates.ts'
import { answerFailure, type FailedCandidate, settleFault } from './failed-request.ts'
import { type InFlightRequest, keyRevoked, RequestAborted } from './in-flight.ts'
import { Meter } from './meter.ts'
import { amountsFor } from './reservation-amounts.ts'

/** Answers the call over its client stream. Throws GatewayError for whatever is refused before an upstream is called. */
export async function complete(call: ChatCall, deps: InferenceDeps): Promise<void> {
  const createdAt = deps.clock.now()
  const startedAt = deps.clock.monotonic()
  const inFlight = deps.inFlight.start(call.key.id, call.stream.signal)
  try {
    const offers = await findOffers(call, inFlight.signal, deps)
    const admitted = await admit(call, offers, { createdAt, startedAt, inFlight }, deps)
    try {
      await serve(admitted, deps)
    } catch (error) {
      // Lets go of the upstream first: what is charged below must not grow any more.
      inFlight.abort(error instanceof Error ? error : new Error('the request failed'))
      await settleFault(admitted, deps)
      throw error
    }
  } catch (error) {
    throw asRefusal(error)
  } finally {
    inFlight.finish()
  }
}

/** Who can serve the request, in order. A model that nobody knows yet may be on a list that was never read. */
async function findOffers(
  { request, key }: ChatCall,
  signal: AbortSignal,
  deps: InferenceDeps,
): Promise<readonly Offer[]> {
  const { catalog, account, providerModels } = deps
  if (!catalog.knows(request.model)) await unlessAborted(providerModels.refreshMissing(), signal)
  const caps = { key: key.limitNano !== null, month: account.monthlyLimitNano !== null }
  return eligible(catalog.route(request.model).offers, request, caps)
}

interface Arrival {
  createdAt: number
  startedAt: number
  inFlight: InFlightRequest
}

async function admit(
  call: ChatCall,
  offers: readonly Offer[],
  { createdAt, startedAt, inFlight }: Arrival,
  deps: InferenceDeps,
): Promise<Admitted> {
  const { key, request, requestId, client } = call
  const { account, budget, limits, ledger, providers, forecast, tokens, clock } = deps
  const row = { id: requestId, createdAt, keyId: key.id, requestedModel: request.model, client }
  const undo: (() => void)[] = []
  try {
    const capped = key.limitNano !== null || account.monthlyLimitNano !== null
    const bytes = call.body.byteLength
    const images = imagesIn(request)
    const candidates = candidatesOf(offers, request, { bytes, images, capped, keyId: key.id }, deps)
    const { plan } = account
    const about = aboutPromptTokens(bytes, images)
    const meter = new Meter(about, plan, () => promptTokens(request, (text) => tokens.count(text)))
    // It may have been let in before, and have waited for its idempotency key since.
    if (key.revokedAt !== null) throw keyRevoked()
    const rate = limits.admit(key, about)
    undo.push(rate.cancel)
    const amounts = amountsFor(
      candidates,
      { request, keyId: key.id, discountPercent: plan.discountPercent },
      forecast,
    )
    const reservation = await budget.reserve(key, amounts, inFlight.signal)
    undo.push(() => budget.release(reservation))
    const left = candidates.filter(({ offer }) => providers.isConfigured(offer.providerId))
    const [first] = left
    if (!first) throw noProviderLeft(request.model)
    const opening: NewRequest = {
      ...row,
      stream: request.stream === true,
      tokensIn: about,
      reservedNano: reservation.amount,
      estimateNano: meter.estimate(first),
      queueMs: reservation.waitedMs,
    }
    const entry = await ledger.open(opening, reservation)
    const { discountPercent } = plan
    return { call, inFlight, entry, meter, rate, candidates: left, serving: null, discountPercent, startedAt }
  } catch (error) {
    for (const step of undo.reverse()) step()
    const refusal = asRefusal(error)
    if (refusal instanceof GatewayError && !isRejection(refusal.status)) {
      ledger.refused({
        ...row,
        stream: request.stream === true,
        httpStatus: refusal.status,
        error: refusal.body,
        totalMs: clock.monotonic() - startedAt,
      })
    }
    throw refusal
  }
}

async function serve(admitted: Admitted, deps: InferenceDeps): Promise<void> {
  const byTarget = new Map(admitted.candidates.map((candidate) => [candidate.target, candidate]))
  const failedCandidates = (failed: readonly FailedTry[]): FailedCandidate[] =>
    failed.flatMap(({ target, ...how }) => {
      const candidate = byTarget.get(target)
      return candidate ? [{ candidate, ...how }] : []
    })
  const prepared = new Map(
    admitted.candidates.flatMap(({ target, sent }) => (sent ? [[target, sent] as const] : [])),
  )
  let dispatched: Dispatched
  try {
    dispatched = await dispatch({
      targets: [...byTarget.keys()],
      prepared,
      request: admitted.call.request,
      signal: admitted.inFlight.signal,
      credentialFor: (providerId, place) => deps.providers.credential(providerId, place),
      coolDownCredential: (providerId, index, ms) => deps.providers.coolDownCredential(providerId, index, ms),
      clock: deps.clock,
      random: Math.random,
      pool: deps.pool,
      breakers: deps.breakers,
    })
  } catch (error) {
    if (!(error instanceof DispatchFailure)) throw error
    return answerFailure(admitted, failedCandidates(error.failed), error, deps)
  }
  const { answer, target, attempts, failed, firstByteMs } = dispatched
  const candidate = byTarget.get(target)
  if (!candidate) throw new Error('an answer came from a target that was not asked')
  admitted.serving = candidate
  const served = { candidate, attempts, failed: failedCandidates(failed), firstByteMs }
  if (answer.kind === 'plain') await answerPlain(admitted, served, answer, deps)
  else await answerStream(admitted, served, answer, deps)
}

/** What we ended before an upstream was called is refused with the reason for it. */
function asRefusal(error: unknown): unknown {
  return error instanceof RequestAborted ? new GatewayError({ status: error.status, ...error.body }) : error
}
