// The measuring of one request: what was sent, what came back, and what that costs. What a provider reports is believed
// as far as it can be true; the rest is estimated, and flagged.
import type { Plan } from '../../shared/account.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat-completion.ts'
import { type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import { costOfCalls, reportedCost } from '../billing/cost.ts'
import type { Offer } from '../catalog/offers.ts'
import type { Price } from '../catalog/prices.ts'
import { tokenFactor } from '../catalog/token-factors.ts'
import type { PlainAnswer } from '../formats/events.ts'
import { NO_USAGE, type ReportedUsage, sumUsage, tokensIn, tokensOut } from '../formats/token-usage.ts'
import type { Candidate } from './candidates.ts'
import { type Charge, FREE } from './charge.ts'
import { surenessOf } from './cost-certainty.ts'
import { isPlausibleCost, isPlausibleUsage } from './plausible-usage.ts'
import { producedBytes } from './produced-text.ts'

const BYTES_PER_TOKEN = 4

/** Who is charged for: the offer, and how many calls of which size it took. */
export type Charged = Pick<Candidate, 'offer' | 'bound'>

export class Meter {
  readonly #about: number
  readonly #plan: Plan
  readonly #count: () => Promise<number>
  /** What the prompt is taken for when nobody reports it. */
  #promptTokens: number
  #reported: ReportedUsage | null = null
  #producedBytes = 0
  /** Pieces of a stream that brought text: each is a token at least. */
  #pieces = 0
  #finished = false
  /** Whether nothing was produced since the last report. */
  #reportIsLast = false
  #factor: { offer: Offer; value: number } | null = null

  /**
   * `about`: the usual estimate of the prompt's tokens. `plan` is the account's at the time of the request; a later
   * change of plan does not reprice it. `count` finds the prompt's tokens, for a charge by estimate only.
   */
  constructor(about: number, plan: Plan, count: () => Promise<number>) {
    this.#about = about
    this.#plan = plan
    this.#count = count
    this.#promptTokens = about
  }

  /** A meter for another answer to the same prompt. */
  fresh(): Meter {
    const other = new Meter(this.#about, this.#plan, this.#count)
    other.#promptTokens = this.#promptTokens
    return other
  }

  /** To be awaited before a charge that is not nothing is asked for: counts the prompt where it will be an estimate. */
  async prepare(): Promise<void> {
    if (!this.#reported) this.#promptTokens = await this.#count()
  }

  /** Counts what a stream's chunk brought, in case that nobody reports usage. */
  chunk(chunk: ChatChunk): void {
    for (const { delta, finish_reason } of chunk.choices) {
      const bytes = producedBytes(delta)
      if (bytes > 0) {
        this.#producedBytes += bytes
        this.#pieces += 1
        this.#reportIsLast = false
      }
      if (finish_reason !== null) this.#finished = true
    }
  }

  completion(completion: ChatCompletion): void {
    for (const { message } of completion.choices) this.#producedBytes += producedBytes(message)
    this.#finished = true
  }

  /** The provider's own count. It may come more than once: a count never goes down, so the larger one stays. */
  reported(usage: ReportedUsage): void {
    this.#reportIsLast = true
    const before = this.#reported
    if (before && total(before.buckets) > total(usage.buckets)) return
    this.#reported = usage
  }

  /** Tokens that were produced so far, for all that was seen of them. */
  producedTokens({ offer }: Charged): number {
    const tokens = Math.ceil((this.#producedBytes / BYTES_PER_TOKEN) * this.#factorOf(offer))
    return Math.max(tokens, this.#pieces)
  }

  /** The charge of an answer that came to its end, or to `cut`: then more may have been produced than was counted. */
  consumed(charged: Charged, cut = false): Charge {
    const report = this.#believed(charged)
    const produced = this.producedTokens(charged)
    if (!report) {
      const input = this.#sentTokens(charged)
      return this.#priced(charged, [{ ...NO_USAGE, input, output: produced }], null, 'estimated')
    }
    if (!cut || (this.#finished && this.#reportIsLast)) {
      const sure = surenessOf(report, charged.offer.price)
      return this.#priced(charged, report.calls ?? [report.buckets], report.costUsd, sure)
    }
    const output = Math.max(report.buckets.output, produced - report.buckets.audioOutput)
    return this.#priced(charged, [{ ...report.buckets, output }], null, 'estimated')
  }

  /** The charge of an answer that came beside others that did not. */
  async answered(charged: Charged, { completion, usage }: PlainAnswer): Promise<Charge> {
    const part = this.fresh()
    part.completion(completion)
    if (usage) part.reported(usage)
    await part.prepare()
    return part.consumed({ offer: charged.offer, bound: { ...charged.bound, calls: 1 } })
  }

  /**
   * The charge of a request that was not answered by an offer whose provider may all the same have worked. `told`: what
   * it had counted by then. `most`: the most that it can come to.
   */
  unsettled(charged: Charged, told: ReportedUsage | null, most: NanoUsd): Charge {
    if (charged.offer.price && isNothing(charged.offer.price)) return FREE
    const known = told && isPlausibleUsage(told.buckets, charged.bound) ? told.buckets : null
    const usage = known ?? { ...NO_USAGE, input: this.#sentTokens(charged) }
    const charge = this.#priced(charged, [usage], null, 'unsettled')
    if (charge.costNano === null) return charge
    const high = most > charge.costNano ? most : charge.costNano
    return { ...charge, costLowNano: ZERO_USD, costHighNano: high }
  }

  /** What a crash while the request runs is charged. Null when there is no price. */
  estimate(charged: Charged): NanoUsd | null {
    const input = Math.min(this.#about, charged.bound.prompt) * charged.bound.calls
    return this.#priced(charged, [{ ...NO_USAGE, input }], null, 'estimated').costNano
  }

  /** The most that the prompt can have cost, once the provider has counted it; null before. */
  reportedPromptCost(charged: Charged): NanoUsd | null {
    const report = this.#believed(charged)
    if (!report || tokensIn(report.buckets) === 0) return null
    const prompt = { ...report.buckets, output: 0, audioOutput: 0 }
    return this.#priced(charged, [prompt], null, 'estimated').costNano
  }

  /** The `usage` member for a client: the provider's own, or what was estimated. */
  chatUsage(charged: Charged, charge: Charge): ChatUsage {
    return (
      this.#believed(charged)?.asChatUsage ?? {
        prompt_tokens: charge.tokensIn,
        completion_tokens: charge.tokensOut,
        total_tokens: charge.tokensIn + charge.tokensOut,
      }
    )
  }

  /** Whether anything came back that may have been billed. */
  get hasOutput(): boolean {
    return this.#producedBytes > 0 || this.#reported !== null
  }

  /** Asked for with every piece of a stream, and found once for each offer. */
  #factorOf(offer: Offer): number {
    if (this.#factor?.offer !== offer) this.#factor = { offer, value: tokenFactor(offer.upstreamModel) }
    return this.#factor.value
  }

  #believed({ bound }: Charged): ReportedUsage | null {
    const report = this.#reported
    return report && isPlausibleUsage(report.buckets, bound, this.#producedBytes) ? report : null
  }

  /** Of all calls together; never more than was reserved for the prompt. */
  #sentTokens({ offer, bound }: Charged): number {
    const each = Math.ceil(this.#promptTokens * this.#factorOf(offer))
    return Math.min(each, bound.prompt) * bound.calls
  }

  #priced(
    { offer: { price } }: Charged,
    calls: readonly UsageBuckets[],
    costUsd: number | null,
    costStatus: 'exact' | 'estimated' | 'unsettled',
  ): Charge {
    const usage = sumUsage(calls)
    const counts = { usage, tokensIn: tokensIn(usage), tokensOut: tokensOut(usage) }
    const bounds = { costLowNano: null, costHighNano: null }
    const discount = this.#plan.discountPercent
    const counted =
      price &&
      costOfCalls(
        calls.map((call) => ({ usage: call, rates: price.rates(tokensIn(call)) })),
        discount,
      )
    const told = costUsd === null ? null : reportedCost(costUsd, discount)
    const reported = told !== null && isPlausibleCost(told, counted) ? told : null
    const costNano = reported ?? counted
    if (costNano === null) return { ...counts, ...bounds, costNano, costStatus: 'unknown', price: null }
    return {
      ...counts,
      ...bounds,
      costNano,
      costStatus: told !== null && reported === null ? 'estimated' : costStatus,
      price: price && {
        pricing: price.pricing,
        origin: price.origin,
        plan: this.#plan.id,
        discountPercent: discount,
        reportedByProvider: reported !== null,
      },
    }
  }
}

function total(usage: UsageBuckets): number {
  return tokensIn(usage) + tokensOut(usage)
}

/** A model on the user's own machine: whatever it did, nobody bills it. */
function isNothing({ pricing }: Price): boolean {
  return Object.values(pricing).every((perMillion) => perMillion === 0)
}
