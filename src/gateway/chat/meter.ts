// Owns the measuring of one request: what was sent, what came back, and what that costs. Knows nothing of caps or storage.
import type { Plan } from '../../shared/account.ts'
import type { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/chat.ts'
import { type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { AppliedPrice, CostStatus, UsageBuckets } from '../../shared/requests.ts'
import type { Offer } from '../catalog/offers.ts'
import type { Price } from '../catalog/prices.ts'
import { tokenFactor } from '../catalog/token-factors.ts'
import { costOf, NO_USAGE, reportedCost, tokensIn, tokensOut } from '../cost.ts'
import type { PromptSize } from '../tokens.ts'
import type { ReportedUsage } from './events.ts'

/** What a request comes to. */
export interface Charge {
  usage: UsageBuckets | null
  tokensIn: number
  tokensOut: number
  /** Null when there is no price. */
  costNano: NanoUsd | null
  costStatus: Exclude<CostStatus, 'pending'>
  /** Bounds, when the outcome is not known; null otherwise. */
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  price: AppliedPrice | null
}

const BYTES_PER_TOKEN = 4

export class Meter {
  readonly #prompt: PromptSize
  readonly #plan: Plan
  #reported: ReportedUsage | null = null
  #producedBytes = 0
  readonly #count: () => Promise<number>
  /** What the prompt is taken for when nobody reports it. */
  #promptTokens: number

  /**
   * `plan` is the account's at the time of the request; a later change of plan does not reprice it. `count` finds the
   * prompt's tokens, for a charge by estimate only.
   */
  constructor(prompt: PromptSize, plan: Plan, count: () => Promise<number>) {
    this.#prompt = prompt
    this.#plan = plan
    this.#count = count
    this.#promptTokens = prompt.about
  }

  /** To be awaited before a charge that is not nothing is asked for: counts the prompt where it will be an estimate. */
  async prepare(): Promise<void> {
    if (!this.#reported) this.#promptTokens = await this.#count()
  }

  /** Counts what a stream's chunk brought, in case that nobody reports usage. */
  chunk(chunk: ChatChunk): void {
    for (const { delta } of chunk.choices) {
      this.#produced(delta.content)
      this.#produced(delta.reasoning_content)
      for (const call of delta.tool_calls ?? []) {
        this.#produced(call.function?.name)
        this.#produced(call.function?.arguments)
      }
    }
  }

  completion(completion: ChatCompletion): void {
    for (const { message } of completion.choices) {
      this.#produced(message.content)
      for (const call of message.tool_calls ?? []) this.#produced(call.function?.arguments)
    }
  }

  /** The provider's own count. It may come more than once; the last one counts. */
  reported(usage: ReportedUsage): void {
    this.#reported = usage
  }

  /** The charge of an answer that came to its end, or to `cut`: then more may have been produced than was counted. */
  consumed(offer: Offer, cut = false): Charge {
    const reported = this.#reported
    const produced = Math.ceil((this.#producedBytes / BYTES_PER_TOKEN) * tokenFactor(offer.upstreamModel))
    if (reported && !(cut && tokensOut(reported.buckets) < produced)) {
      return this.#priced(offer, reported.buckets, reported.costUsd, 'exact')
    }
    const sent = reported?.buckets ?? { ...NO_USAGE, input: this.#sentTokens(offer) }
    return this.#priced(offer, { ...sent, output: produced }, null, 'estimated')
  }

  /** The charge of a request that was not answered by an offer whose provider may all the same have worked. */
  unsettled(offer: Offer, reserved: NanoUsd): Charge {
    if (offer.price && isNothing(offer.price)) return FREE
    const charge = this.#priced(offer, { ...NO_USAGE, input: this.#sentTokens(offer) }, null, 'unsettled')
    return charge.costNano === null ? charge : { ...charge, costLowNano: ZERO_USD, costHighNano: reserved }
  }

  /** What a crash while the request runs is charged. Null when there is no price. */
  estimate(offer: Offer): NanoUsd | null {
    return this.#priced(offer, { ...NO_USAGE, input: this.#prompt.about }, null, 'estimated').costNano
  }

  /** The usage member for a client, when the provider gave none. */
  estimatedChatUsage(charge: Charge): ChatUsage {
    return {
      prompt_tokens: charge.tokensIn,
      completion_tokens: charge.tokensOut,
      total_tokens: charge.tokensIn + charge.tokensOut,
    }
  }

  /** Whether anything came back that may have been billed. */
  get hasOutput(): boolean {
    return this.#producedBytes > 0 || this.#reported !== null
  }

  get reportedUsage(): ReportedUsage | null {
    return this.#reported
  }

  /** Never more than was reserved for the prompt. */
  #sentTokens(offer: Offer): number {
    return Math.min(Math.ceil(this.#promptTokens * tokenFactor(offer.upstreamModel)), this.#prompt.atMost)
  }

  #priced(
    offer: Offer,
    usage: UsageBuckets,
    costUsd: number | null,
    costStatus: 'exact' | 'estimated' | 'unsettled',
  ): Charge {
    const counts = { usage, tokensIn: tokensIn(usage), tokensOut: tokensOut(usage) }
    const bounds = { costLowNano: null, costHighNano: null }
    const { price } = offer
    const discount = this.#plan.discountPercent
    if (!price && costUsd === null)
      return { ...counts, ...bounds, costNano: null, costStatus: 'unknown', price: null }
    const costNano =
      costUsd !== null
        ? reportedCost(costUsd, discount)
        : price
          ? costOf(usage, price.rates(counts.tokensIn), discount)
          : ZERO_USD
    return {
      ...counts,
      ...bounds,
      costNano,
      costStatus,
      price: price && {
        pricing: price.pricing,
        origin: price.origin,
        plan: this.#plan.id,
        discountPercent: discount,
        reportedByProvider: costUsd !== null,
      },
    }
  }

  #produced(text: string | null | undefined): void {
    if (text) this.#producedBytes += Buffer.byteLength(text)
  }
}

/** The charge of a request that nobody worked on. */
/** A model on the user's own machine: whatever it did, nobody bills it. */
function isNothing({ pricing }: Price): boolean {
  return Object.values(pricing).every((perMillion) => perMillion === 0)
}

export const FREE: Charge = {
  usage: null,
  tokensIn: 0,
  tokensOut: 0,
  costNano: ZERO_USD,
  costStatus: 'free',
  costLowNano: null,
  costHighNano: null,
  price: null,
}
