import { REQUEST_NEEDS, SANDBOX_ID } from '../../shared/api/terms.ts'
import { nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { NO_CONTENT, type SentContent } from '../formats/chat/content-counter.ts'
import { readSentContent } from '../formats/chat/sent-content.ts'
import { hasExpired, type KeyState } from '../keys/key-state.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { countPromptTokens, estimatePromptTokens, type ImageData } from '../models/tokens/token-counter.ts'
import { isRejection } from '../observe/request-log/rejections.ts'
import { GatewayError } from '../platform/errors.ts'
import { DoesNotFitError, type LimitReached } from '../spend/budget-errors.ts'
import type { RateAdmission } from '../spend/rates/rate-limits.ts'
import type { Reservation } from '../spend/reservation.ts'
import { exempt, isSample, type Subject } from '../spend/spend-limits.ts'
import { type AdmittedRequest, getRunPlace, type InferenceCall, type InferenceDeps } from './call.ts'
import { type InFlightRequest, keyExpired, keyRevoked, limitReached } from './in-flight.ts'
import {
  type CandidateInput,
  type Candidates,
  createCandidates,
  type OutputLimits,
  requireCandidates,
} from './prepare.ts'
import { type Candidate, computeAmounts } from './quote.ts'
import { type Caps, unpricedExtra } from './select.ts'
import { TokenMeter } from './token-meter.ts'

const NO_OUTPUTS: OutputLimits = new Map()
/** How often the output of a request is lowered again, because others have spent what was left while it waited. */
const MAX_LOWERED = 5

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
): Promise<AdmittedRequest> {
  const { key, request, tag, mode } = call
  const { account, budget, limits, providers } = deps
  const { startedAt, inFlight } = arrival
  let { createdAt } = arrival
  let rate: RateAdmission | null = null
  let reservation: Reservation | null = null
  let askedMs = 0
  try {
    const { plan } = account
    const size = measure(call)
    const subject: Subject = { key, models: offers, ...getRunPlace(call), tag }
    const isStrict = budget.isStrict(subject)
    const terms = { isStrict, discountPercent: plan.discountPercent }
    let candidates = candidatesFor(call, offers, size, { ...terms, outputLimits: null }, deps)
    const given = mode.kind === 'raw' ? (mode.passThrough.givenTokens ?? 0) : 0
    const count = async () => given + (await countPromptTokens(request, (text) => deps.tokens.count(text)))
    const meter = new TokenMeter(size.about, plan, count)
    requireAllowed(key, inFlight, deps)
    rate = limits.admit(key, size.about)
    const isMetered = request.stream === true && !isStrict
    const end = isMetered ? (reason: LimitReached) => inFlight.abort(limitReached(reason)) : null
    let worst = ZERO_USD
    for (let lowered = 0; !reservation; lowered++) {
      const computed = computeAmounts(candidates)
      const amounts = { ...computed, end }
      worst = computed.worst
      try {
        reservation = budget.tryReserve(subject, amounts)
        if (reservation && askedMs === 0) break
        reservation ??= await budget.reserve(subject, amounts, inFlight.signal)
        // It counts in the period whose limit admitted it, if another one ended while it waited.
        if (account.counters.day.span.start > createdAt) createdAt = deps.clock.now()
        // Meanwhile, providers may have been removed.
        const existing = candidates.filter(({ offer }) => providers.isConfigured(offer.providerId))
        candidates = requireCandidates(existing, request.model)
      } catch (error) {
        const isShortened = error instanceof DoesNotFitError && lowered < MAX_LOWERED && mode.kind !== 'raw'
        const outputLimits = isShortened ? fitOutputs(candidates, error.roomNano) : NO_OUTPUTS
        const fitting = offers.filter((offer) => outputLimits.has(offer))
        const shortened =
          fitting.length > 0 ? candidatesFor(call, fitting, size, { ...terms, outputLimits }, deps) : null
        // A lower limit may be too low for what else the client asks, such as a budget for thinking.
        if (shortened?.some(({ refusal }) => refusal === null)) candidates = shortened
        else {
          const beganAt = deps.clock.monotonic()
          await deps.approvals.waitForMore(error, {
            ...{ key, ...getRunPlace(call), model: request.model, reason: null },
            ...{ neededNano: amounts.max, signal: inFlight.signal },
            exempt: (limit) => exempt(subject, limit),
          })
          askedMs += deps.clock.monotonic() - beganAt
          candidates = candidatesFor(call, offers, size, { ...terms, outputLimits: null }, deps)
        }
      }
    }
    const row = {
      ...describeRequest(call, { createdAt }),
      // The provider of other requests is unknown before one has answered.
      provider: mode.kind === 'plan' ? mode.signIn.providerId : isSample(subject) ? SANDBOX_ID : null,
      tokensIn: size.about,
      needs: requestNeeds(call, size.content.images),
      // A crash must not lose what a stream has reserved since.
      reservedNano: nanoUsd(Math.max(worst, reservation.amount)),
      estimateNano: meter.estimate(candidates[0], candidates[0].quote.likely),
      queueMs: reservation.waitedMs + askedMs,
    }
    const entry = await deps.ledger.open(row, reservation, inFlight)
    return {
      call,
      inFlight,
      entry,
      meter,
      rate,
      candidates,
      calling: candidates[0],
      serving: null,
      isStrict,
      startedAt,
    }
  } catch (error) {
    if (reservation) budget.release(reservation)
    rate?.cancel()
    throw refuse(call, arrival, error, deps)
  }
}

/**
 * Throws what ends the request now. Its key may have been revoked or have expired since it was authenticated, and the client may
 * have left: it may have waited for its idempotency key.
 */
export function requireAllowed(
  key: KeyState,
  { signal }: InFlightRequest,
  { clock }: Pick<InferenceDeps, 'clock'>,
): void {
  if (key.revokedAt !== null) throw keyRevoked()
  if (hasExpired(key, clock.now())) throw keyExpired()
  signal.throwIfAborted()
}

/** Returns the error for the client. What limits, caps and pauses refuse is recorded for the user to see. */
export function refuse(call: InferenceCall, arrival: Arrival, error: unknown, deps: InferenceDeps): unknown {
  if (error instanceof GatewayError && !isRejection(error)) {
    deps.guard.refused(call.key, error)
    deps.ledger.recordRefused({
      ...describeRequest(call, arrival),
      httpStatus: error.status,
      error: error.body,
      totalMs: deps.clock.monotonic() - arrival.startedAt,
    })
  }
  return error
}

interface Size {
  /** The size of the client's body, with the history that its `previous_response_id` stands for. */
  bytes: number
  content: SentContent
  /** An estimate of the prompt's tokens. */
  about: number
}

/** Bytes and images are those of the same body. */
function measure({ request, mode, body }: InferenceCall): Size {
  if (mode.kind === 'raw')
    return { bytes: body.byteLength, content: NO_CONTENT, about: mode.passThrough.aboutTokens }
  const [bytes, content] =
    mode.kind === 'native' || mode.kind === 'plan'
      ? [Buffer.byteLength(mode.native.body), readSentContent(mode.native.format, mode.native.json)]
      : [body.byteLength, readSentContent('openai-chat', request)]
  return { bytes, content, about: estimatePromptTokens(bytes, content.images) }
}

function candidatesFor(
  { key, request, mode, unsupported, session, agent, tag }: InferenceCall,
  offers: readonly Offer[],
  { bytes, content }: Size,
  terms: Pick<CandidateInput, 'isStrict' | 'discountPercent' | 'outputLimits'>,
  deps: InferenceDeps,
): Candidates {
  const run = getRunPlace({ session, agent })
  const caps = deps.spendLimits.findCaps({ key, models: offers, ...run, tag })
  const capped = caps.key || caps.account
  const decoded = { request, mode, unsupported }
  const input = { ...decoded, ...terms, keyId: key.id, session, bytes, content, capped }
  const created = createCandidates(offers, input, deps)
  return requireCandidates(capped ? requirePriced(created, caps) : created, request.model)
}

/** The candidates whose prices cover all that the request asks for. Throws 400 if there are none. */
function requirePriced(candidates: readonly Candidate[], caps: Caps): readonly Candidate[] {
  const unpriced = candidates.find(({ bound }) => bound.unpriced)?.bound.unpriced
  if (!unpriced) return candidates
  const priced = candidates.filter(({ bound }) => !bound.unpriced)
  if (priced.every(({ refusal }) => refusal !== null)) throw unpricedExtra(unpriced, caps)
  return priced
}

/** The members of a row that do not depend on the outcome. */
export function describeRequest(
  { requestId, key, request, mode, client, endpoint, session, agent, tag, overflowFrom }: InferenceCall,
  { createdAt }: Pick<Arrival, 'createdAt'>,
) {
  return {
    id: requestId,
    createdAt,
    keyId: key.id,
    requestedModel: request.model,
    client,
    endpoint,
    sessionId: session.id,
    session: session.stored,
    ...(agent && {
      agentId: agent.id,
      agentParent: agent.parentId,
      agentType: agent.type,
      agentRole: agent.role,
      toolMs: agent.toolMs,
    }),
    tag,
    overflowFrom,
    stream: request.stream === true || (mode.kind === 'raw' && mode.passThrough.stream === true),
  }
}

/** The largest output limits whose worst case fits into `roomNano`. Offers of which no useful answer fits are absent. */
function fitOutputs(candidates: readonly Candidate[], roomNano: number): OutputLimits {
  const limits = new Map<Offer, number>()
  for (const { offer, quote, refusal } of candidates) {
    const limit = refusal ? null : quote.fit(roomNano)
    if (limit !== null) limits.set(offer, limit)
  }
  return limits
}

/** The requirements of the request, as the ledger has them. */
function requestNeeds(
  { request, unsupported }: Pick<InferenceCall, 'request' | 'unsupported'>,
  images: ImageData,
): number {
  const { tools, response_format: format } = request
  let needs = images.count > 0 ? REQUEST_NEEDS.vision : 0
  if (tools && tools.length > 0) needs |= REQUEST_NEEDS.tools
  if (format && format.type !== 'text') needs |= REQUEST_NEEDS.json
  if (unsupported) needs |= REQUEST_NEEDS.ownApi
  return needs
}
