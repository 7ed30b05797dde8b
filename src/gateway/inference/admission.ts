import type { Offer } from '../catalog/offers.ts'
import { GatewayError } from '../platform/errors.ts'
import { isRejection } from '../request-log/rejections.ts'
import { countPromptTokens, estimatePromptTokens, measureImages } from '../tokens/estimate-tokens.ts'
import type { Admitted, InferenceCall, InferenceDeps } from './call.ts'
import { createCandidates, requireCandidates } from './candidates.ts'
import { type InFlightRequest, keyRevoked, toRejection } from './in-flight.ts'
import { Meter } from './meter.ts'
import { amountsFor } from './reservation-amounts.ts'

export interface Arrival {
  /** Epoch milliseconds. */
  createdAt: number
  /** Monotonic milliseconds. */
  startedAt: number
  inFlight: InFlightRequest
}

/**
 * Admits the request to its rate limit and budget, and opens its row. Throws GatewayError when it is rejected, and then
 * holds nothing; what the limits reject is recorded for the user to see.
 */
export async function admit(
  call: InferenceCall,
  offers: readonly Offer[],
  arrival: Arrival,
  deps: InferenceDeps,
): Promise<Admitted> {
  const undo: (() => void)[] = []
  try {
    return await reserveAndOpen(call, offers, arrival, { ...deps, undo })
  } catch (error) {
    for (const step of undo.reverse()) step()
    const rejection = toRejection(error)
    if (rejection instanceof GatewayError && !isRejection(rejection.status)) {
      deps.ledger.recordRefused({
        ...describe(call, arrival),
        httpStatus: rejection.status,
        error: rejection.body,
        totalMs: deps.clock.monotonic() - arrival.startedAt,
      })
    }
    throw rejection
  }
}

/** `undo`: takes back each step, should a later one fail. */
async function reserveAndOpen(
  call: InferenceCall,
  offers: readonly Offer[],
  arrival: Arrival,
  deps: InferenceDeps & { undo: (() => void)[] },
): Promise<Admitted> {
  const { key, request, native, passThrough, untranslatable, externalContent } = call
  const { account, budget, limits, providers, undo } = deps
  const { plan } = account
  const { discountPercent } = plan
  const bytes = call.body.byteLength
  const images = measureImages(request)
  const capped = key.limitNano !== null || account.monthlyLimitNano !== null
  const decoded = { request, native, passThrough, untranslatable, externalContent }
  const created = createCandidates(offers, { ...decoded, keyId: key.id, bytes, images, capped }, deps)
  requireCandidates(created, request.model)
  const about = passThrough?.aboutTokens ?? estimatePromptTokens(bytes, images)
  const meter = new Meter(about, plan, () => countPromptTokens(request, (text) => deps.tokens.count(text)))
  // The key may have been revoked since it was authenticated: the request may have waited for its idempotency key.
  if (key.revokedAt !== null) throw keyRevoked()
  const rate = limits.admit(key, about)
  undo.push(() => rate.cancel())
  const amounts = amountsFor(created, { request, keyId: key.id, discountPercent }, deps.forecast)
  const reservation =
    budget.tryReserve(key, amounts) ?? (await budget.reserve(key, amounts, arrival.inFlight.signal))
  undo.push(() => budget.release(reservation))
  // Providers may have been removed while the request waited for its reservation.
  const existing = created.filter(({ offer }) => providers.isConfigured(offer.providerId))
  const candidates = requireCandidates(existing, request.model)
  const entry = await deps.ledger.open(
    {
      ...describe(call, arrival),
      tokensIn: about,
      reservedNano: reservation.amount,
      estimateNano: meter.estimate(candidates[0]),
      queueMs: reservation.waitedMs,
    },
    reservation,
    arrival.inFlight,
  )
  const { startedAt, inFlight } = arrival
  return { call, inFlight, entry, meter, rate, candidates, serving: null, discountPercent, startedAt }
}

/** The members of a row that do not depend on the outcome. */
function describe(
  { requestId, key, request, passThrough, client, endpoint }: InferenceCall,
  { createdAt }: Arrival,
) {
  return {
    id: requestId,
    createdAt,
    keyId: key.id,
    requestedModel: request.model,
    client,
    endpoint,
    stream: request.stream === true || passThrough?.stream === true,
  }
}
