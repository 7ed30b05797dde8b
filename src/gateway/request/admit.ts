// The admission of a request: to its rate limits, its budget and, once its row is open, to a provider.
import { REQUEST_NEEDS, SANDBOX_ID } from '../../shared/api/terms.ts'
import { nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { NO_CONTENT, type SentContent } from '../formats/chat/content-counter.ts'
import { readSentContent } from '../formats/chat/sent-content.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { countPromptTokens, estimatePromptTokens, type ImageData } from '../models/tokens/token-counter.ts'
import { DoesNotFitError, type LimitReached } from '../spend/budget-errors.ts'
import type { RateAdmission } from '../spend/rates/rate-limits.ts'
import type { Amounts, Reservation } from '../spend/reservation.ts'
import { isSample, type Subject } from '../spend/spend-limits.ts'
import type { InferenceCall } from './call.ts'
import { limitReached } from './in-flight.ts'
import type { Entry } from './ledger.ts'
import { type Candidates, createCandidates, type OutputLimits, requireCandidates } from './prepare.ts'
import { type Candidate, computeAmounts } from './quote.ts'
import type { Arrival } from './run.ts'
import { Run } from './run.ts'
import { type Caps, unpricedExtra } from './select.ts'
import { TokenMeter } from './token-meter.ts'

const NO_OUTPUTS: OutputLimits = new Map()
/** How often the output of a request is lowered, because others have spent what was left while it waited. */
const MAX_LOWERED = 5

/**
 * Admits the request to its rate limit and budget, and opens its row: immediately, unless it has to wait. Throws or rejects with
 * GatewayError when it is rejected, and then holds nothing; what the limits reject is recorded for the user to see.
 */
export function admit(arrival: Arrival, offers: readonly Offer[]): Run | Promise<Run> {
  let admission: Admission
  try {
    admission = new Admission(arrival, offers)
  } catch (error) {
    throw arrival.refuse(error)
  }
  try {
    const admitted = admission.admit()
    return admitted instanceof Promise ? admitted.catch((error: unknown) => admission.fail(error)) : admitted
  } catch (error) {
    return admission.fail(error)
  }
}

class Admission {
  readonly #arrival: Arrival
  /** Where a rule has chosen another model: its offers and those of the requested one, which are tried alone. */
  readonly #choices: readonly (readonly Offer[])[]
  /** The choices that were not tried since the owner was last asked. */
  #untried: (readonly Offer[])[]
  #offers: readonly Offer[]
  readonly #size: Size
  readonly #subject: Subject
  #isStrict: boolean
  #candidates: Candidates
  #worst = ZERO_USD
  readonly #meter: TokenMeter
  /** Ends a stream that is metered while it runs; null for all other requests. */
  #end: ((reason: LimitReached) => void) | null = null
  #rate: RateAdmission | null = null
  #reservation: Reservation | null = null
  #createdAt: number
  /** How often the output was lowered since a choice was made. */
  #lowered = 0
  /** Milliseconds for which the owner was asked. */
  #askedMs = 0

  constructor(arrival: Arrival, offers: readonly Offer[]) {
    const { call, deps } = arrival
    const { key, request, tag, mode } = call
    const { plan } = deps.account
    this.#arrival = arrival
    this.#choices = listChoices(call, offers)
    this.#untried = [...this.#choices]
    this.#offers = offers
    this.#createdAt = arrival.createdAt
    this.#size = measure(call)
    this.#subject = { key, models: offers, ...arrival.place, tag }
    this.#isStrict = deps.budget.isStrict(this.#subject)
    this.#candidates = this.#createCandidates(offers, null)
    const given = mode.kind === 'raw' ? (mode.passThrough.givenTokens ?? 0) : 0
    const count = async () => given + (await countPromptTokens(request, (text) => deps.tokens.count(text)))
    this.#meter = new TokenMeter(this.#size.about, plan, count)
    this.#end = this.#createEnd()
  }

  #createEnd(): ((reason: LimitReached) => void) | null {
    const { call, inFlight } = this.#arrival
    const isMetered = call.request.stream === true && !this.#isStrict
    return isMetered ? (reason) => inFlight.abort(limitReached(reason)) : null
  }

  admit(): Run | Promise<Run> {
    const { call, deps } = this.#arrival
    this.#arrival.requireAllowed()
    this.#rate = deps.limits.admit(call.key, this.#size.about)
    const amounts = this.#computeAmounts()
    let obstacle: unknown = null
    try {
      if (!this.#arrival.requirePermission) this.#reservation = deps.budget.tryReserve(this.#subject, amounts)
    } catch (error) {
      obstacle = error
    }
    return this.#reservation ? this.#open(this.#reservation, this.#rate) : this.#wait(obstacle, this.#rate)
  }

  /** Releases what it holds. */
  fail(error: unknown): never {
    if (this.#reservation) this.#arrival.deps.budget.release(this.#reservation)
    this.#rate?.cancel()
    throw this.#arrival.refuse(error)
  }

  /** `obstacle`: the reason why it cannot be admitted; null while running requests are in the way, or it needs permission. */
  async #wait(obstacle: unknown, rate: RateAdmission): Promise<Run> {
    const { call, deps, inFlight } = this.#arrival
    const { budget, account, providers, clock } = deps
    let error = obstacle
    for (;;) {
      // One model is not kept waiting by what another one would reserve.
      if (error !== null || this.#untried.length > 1) await this.#makeRoom(error)
      try {
        await this.#arrival.requirePermission?.()
        this.#reservation = await budget.reserve(this.#subject, this.#computeAmounts(), inFlight.signal)
        // It counts in the period whose limit admitted it, if another one ended while it waited.
        if (account.counters.day.span.start > this.#createdAt) this.#createdAt = clock.now()
        // Meanwhile, providers may have been removed.
        const existing = this.#candidates.filter(({ offer }) => providers.isConfigured(offer.providerId))
        this.#candidates = requireCandidates(existing, call.request.model)
        return await this.#open(this.#reservation, rate)
      } catch (thrown) {
        if (this.#reservation) throw thrown
        error = thrown
      }
    }
  }

  /**
   * Shortens the answer where that helps, else tries the models alone of which a rule has chosen one, else asks the owner. Throws the
   * obstacle if nothing helps.
   */
  async #makeRoom(obstacle: unknown): Promise<void> {
    const { call, deps } = this.#arrival
    const mayShorten = this.#lowered < MAX_LOWERED && this.#untried.length < 2 && call.mode.kind !== 'raw'
    const isShortened = obstacle instanceof DoesNotFitError && mayShorten
    const limits = isShortened ? fitOutputs(this.#candidates, obstacle.roomNano) : NO_OUTPUTS
    const fitting = this.#offers.filter((offer) => limits.has(offer))
    const shortened = fitting.length > 0 ? this.#createCandidates(fitting, limits) : null
    // A lower limit may be too low for what else the client asks, such as a budget for thinking.
    if (shortened?.some(({ refusal }) => refusal === null)) {
      this.#candidates = shortened
      this.#lowered += 1
      return
    }
    if (this.#chooseNext()) return
    const asking = deps.hooks.find((hook) => hook.removeObstacle)
    if (!asking?.removeObstacle) throw obstacle
    const askedAt = deps.clock.monotonic()
    await asking.removeObstacle(this.#arrival, obstacle, this.#subject, this.#computeAmounts().max)
    this.#askedMs += deps.clock.monotonic() - askedAt
    this.#untried = [...this.#choices]
    this.#choose(this.#choices.length > 0 ? this.#choices.flat() : this.#offers)
  }

  /** Goes on with the next choice. False if there is none. Throws where the last one cannot serve. */
  #chooseNext(): boolean {
    for (let offers = this.#untried.shift(); offers; offers = this.#untried.shift())
      try {
        this.#choose(offers)
        return true
      } catch (error) {
        if (this.#untried.length === 0) throw error
      }
    return false
  }

  #choose(offers: readonly Offer[]): void {
    this.#offers = offers
    this.#subject.models = offers
    this.#isStrict = this.#arrival.deps.budget.isStrict(this.#subject)
    this.#end = this.#createEnd()
    this.#lowered = 0
    this.#candidates = this.#createCandidates(offers, null)
  }

  #computeAmounts(): Amounts {
    const { min, max, worst } = computeAmounts(this.#candidates)
    this.#worst = worst
    return { min, max, end: this.#end }
  }

  #open(reservation: Reservation, rate: RateAdmission): Run | Promise<Run> {
    const { call, deps, inFlight } = this.#arrival
    const { mode } = call
    const [first] = this.#candidates
    const row = {
      ...this.#arrival.describe(this.#createdAt),
      // The provider of other requests is unknown before one has answered.
      provider: mode.kind === 'plan' ? mode.signIn.providerId : isSample(this.#subject) ? SANDBOX_ID : null,
      tokensIn: this.#size.about,
      needs: requestNeeds(call, this.#size.content.images),
      // A crash must not lose what a stream has reserved since.
      reservedNano: nanoUsd(Math.max(this.#worst, reservation.amount)),
      estimateNano: this.#meter.estimate(first, first.quote.likely),
      queueMs: reservation.waitedMs + this.#askedMs,
    }
    const start = (entry: Entry): Run =>
      new Run(this.#arrival, {
        entry,
        meter: this.#meter,
        rate,
        candidates: this.#candidates,
        isStrict: this.#isStrict,
      })
    const entry = deps.ledger.open(row, reservation, inFlight)
    return entry instanceof Promise ? entry.then(start) : start(entry)
  }

  /** `limits`: those to which the answers are shortened; null for none. */
  #createCandidates(offers: readonly Offer[], limits: OutputLimits | null): Candidates {
    const { call, deps } = this.#arrival
    const { key, request, mode, unsupported, session, instead } = call
    const caps = deps.spendLimits.findCaps({ ...this.#subject, models: offers })
    const capped = caps.key || caps.account
    const { bytes, content } = this.#size
    const created = createCandidates(
      offers,
      {
        request,
        mode,
        instead,
        unsupported,
        keyId: key.id,
        session,
        bytes,
        content,
        capped,
        isStrict: this.#isStrict,
        discountPercent: deps.account.plan.discountPercent,
        outputLimits: limits,
      },
      deps,
    )
    return requireCandidates(capped ? requirePriced(created, caps) : created, request.model)
  }
}

/** The offers of the model that a rule has chosen, and those of the requested one. Empty where only one of them can serve. */
function listChoices({ instead }: InferenceCall, offers: readonly Offer[]): readonly (readonly Offer[])[] {
  const choices = [true, false].map((isChosen) =>
    offers.filter((offer) => (instead?.offers.includes(offer) ?? false) === isChosen),
  )
  return choices.every(({ length }) => length > 0) ? choices : []
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

/** The candidates whose prices cover all that the request asks for. Throws 400 if there are none. */
function requirePriced(candidates: readonly Candidate[], caps: Caps): readonly Candidate[] {
  const unpriced = candidates.find(({ bound }) => bound.unpriced)?.bound.unpriced
  if (!unpriced) return candidates
  const priced = candidates.filter(({ bound }) => !bound.unpriced)
  if (priced.every(({ refusal }) => refusal !== null)) throw unpricedExtra(unpriced, caps)
  return priced
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
