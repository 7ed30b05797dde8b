// What a request may cost at each candidate. Amounts are nano-dollars, for all calls of an attempt together.

import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money/money.ts'
import type { EncodedRequest, Target } from '../formats/chat/codec-types.ts'
import type { AnswerMode } from '../formats/chat/events.ts'
import type { UpstreamFailure } from '../formats/chat/failure.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { costOfCalls, MAX_REQUEST_NANO } from '../spend/cost.ts'
import type { Amounts } from '../spend/reservation.ts'
import type { Bound } from './bound.ts'
import type { Forecast } from './forecast.ts'

/** An offer that can serve a request, how it is sent the request, and what that may cost. */
export interface Candidate {
  offer: Offer
  target: Target
  /** The request as the target is sent it; null when it was not encoded before. */
  encoded: EncodedRequest | null
  /** Encodes the request with its output limit under the other name, for a target of which the name is not known. */
  renameOutputLimit?: () => EncodedRequest | null
  mode: AnswerMode
  /** Upstream calls that an attempt takes: one for each choice where the target has no `n`. */
  calls: number
  /** Why the request cannot be sent to the target; null if it can. */
  refusal: UpstreamFailure | null
  bound: Bound
  /** Tokens; the output limit to which its answer is shortened. Null if it is not. */
  shortenedTo: number | null
  /** Output tokens that are likely for the requested effort; absent for a model that does not reason. */
  likelyReasoning?: number
  quote: Quote
}

export type CandidateDraft = Omit<Candidate, 'quote'>

/** The size of a request at an offer, which is priced. */
export type Priced = Pick<Candidate, 'offer' | 'bound'>

/** The highest cost of the prompt and `output` tokens in each call. Zero without a price. */
export function maxCost(
  { offer: { price }, bound }: Priced,
  output: number,
  discountPercent: number,
): NanoUsd {
  if (!price) return nanoUsd(0)
  const { calls, prompt, tier, units } = bound
  const usage = { ...NO_USAGE, input: prompt, output, ...units?.most }
  const cost = costOfCalls([{ usage, rates: price.maxRates(prompt, tier) }], discountPercent)
  return nanoUsd(Math.min(cost * calls, MAX_REQUEST_NANO))
}

/** Tokens that stand for a limit of the model that the catalog does not know, where a report is judged. */
const UNKNOWN_WINDOW = 2_000_000
const UNKNOWN_OUTPUT = 200_000

/** The most tokens that a provider can have read and written in one call: a full context window, and the model's whole output. */
export function possibleTokens({ offer, bound }: Priced): { prompt: number; output: number } {
  return {
    prompt: Math.max(offer.contextWindow ?? UNKNOWN_WINDOW, bound.prompt),
    output: Math.max(offer.maxOutputTokens ?? UNKNOWN_OUTPUT, bound.output),
  }
}

/** The cost of these tokens in every call, and of all searches and other units that the request allows. */
export function possibleCost({ offer, bound }: Priced, discountPercent: number): NanoUsd {
  const { prompt, output } = possibleTokens({ offer, bound })
  return maxCost({ offer, bound: { ...bound, prompt } }, output, discountPercent)
}

/** A price taken from a similar model may be too low by about this factor. */
export const APPROXIMATE_PRICE_FACTOR = 2
/** Tokens; an answer is not shortened below this, unless the client itself asks for less. */
const LEAST_OUTPUT = 256

type QuotedRequest = Pick<Candidate, 'offer' | 'bound' | 'likelyReasoning'>

/** Terms that all candidates of a request share. */
export interface QuoteTerms {
  request: Pick<ChatRequest, 'stream' | 'n'>
  keyId: string
  discountPercent: number
  /** Whether the whole bound must fit under a limit. */
  isStrict: boolean
}

/** What a request may cost at one candidate. */
export class Quote {
  readonly #priced: QuotedRequest
  readonly #terms: QuoteTerms
  readonly #forecast: Pick<Forecast, 'likelyOutput' | 'factor'>
  /** It does not change, although more is learned while the request runs. */
  #worst: NanoUsd | null = null

  constructor(priced: QuotedRequest, terms: QuoteTerms, forecast: Pick<Forecast, 'likelyOutput' | 'factor'>) {
    this.#priced = priced
    this.#terms = terms
    this.#forecast = forecast
  }

  /** The highest cost with `output` tokens in each call. */
  upTo(output: number): NanoUsd {
    return maxCost(this.#priced, output, this.#terms.discountPercent)
  }

  /** The highest cost of an attempt. */
  get most(): NanoUsd {
    return this.upTo(this.#priced.bound.output)
  }

  /** The price of a full context window and a full output. */
  get possible(): NanoUsd {
    return possibleCost(this.#priced, this.#terms.discountPercent)
  }

  /** Nano-dollars for one output token, at the highest rate. */
  get tokenRate(): number {
    const { offer, bound } = this.#priced
    const share = (100 - this.#terms.discountPercent) / 100
    return (offer.price?.maxRates(bound.prompt, bound.tier).output ?? 0) * 1_000 * share
  }

  /** Output tokens that are likely in one call, all its choices together. */
  get likely(): number {
    const { bound } = this.#priced
    const each = this.#forecast.likelyOutput(this.#terms.keyId, this.model, this.#priced.likelyReasoning)
    return Math.min(each * this.#choices + (bound.predicted ?? 0), bound.output)
  }

  get reasons(): boolean {
    return this.#priced.likelyReasoning !== undefined
  }

  /** Output tokens that a call without an answer has likely had. What a stream has not shown is only its reasoning. */
  get unseen(): number {
    return this.#terms.request.stream && !this.reasons ? 0 : this.likely
  }

  /** Whether the request is a stream that a limit may end, so that less than its worst case is reserved. */
  get isMetered(): boolean {
    return this.#terms.request.stream === true && !this.#terms.isStrict
  }

  /**
   * The highest cost of an attempt that failed, as far as its provider may bill it. A stream ends at its provider when its connection
   * is closed, so without a strict limit only a likely output is assumed.
   */
  get ofFailed(): NanoUsd {
    return this.isMetered ? this.upTo(this.likely) : this.most
  }

  /** The forecast's name for the model of this provider. */
  get model(): string {
    const { providerId, upstreamModel } = this.#priced.offer
    return `${providerId}/${upstreamModel}`
  }

  /** The factor for usual bounds, because usage of the model has exceeded them before. */
  get factor(): number {
    return this.#forecast.factor(this.model) * this.priceFactor
  }

  /** The part of the factor that was not learned. */
  get priceFactor(): number {
    return this.#priced.offer.price?.origin.match === 'approximate' ? APPROXIMATE_PRICE_FACTOR : 1
  }

  /** The cost with `output` tokens in each call, as far as is known of the model. */
  reserve(output: number): NanoUsd {
    return nanoUsd(Math.min(Math.ceil(this.upTo(output) * this.factor), MAX_REQUEST_NANO))
  }

  /** The least amount to start with: for a stream its prompt, and reasoning, which may be billed before any of it is seen. */
  get least(): NanoUsd {
    return this.isMetered && !this.reasons ? this.reserve(0) : this.expected
  }

  /** The amount to start with: the worst case, or for a stream its prompt and a likely output. */
  get expected(): NanoUsd {
    return this.isMetered ? this.reserve(this.likely) : this.worst
  }

  get worst(): NanoUsd {
    this.#worst ??= this.reserve(this.#priced.bound.output)
    return this.#worst
  }

  /** The largest output limit of one choice whose worst case fits into `roomNano`; null if no useful answer fits. */
  fit(roomNano: number): number | null {
    const { output, predicted = 0 } = this.#priced.bound
    const most = Math.floor((output - predicted) / this.#choices)
    let low = -1
    let high = most
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.reserve(middle * this.#choices + predicted) <= roomNano) low = middle
      else high = middle - 1
    }
    return low >= Math.min(LEAST_OUTPUT, most) ? low : null
  }

  /** The choices that one call answers. */
  get #choices(): number {
    return this.#priced.bound.calls > 1 ? 1 : (this.#terms.request.n ?? 1)
  }
}

/** What a request reserves at its start. The most expensive candidate decides, because any of them may serve in the end. */
export function computeAmounts(
  candidates: readonly Pick<Candidate, 'quote'>[],
): Omit<Amounts, 'end'> & { worst: NanoUsd } {
  let [min, max, worst] = [0, 0, 0]
  for (const { quote } of candidates) {
    min = Math.max(min, quote.least)
    max = Math.max(max, quote.expected)
    worst = Math.max(worst, quote.worst)
  }
  return { min: nanoUsd(min), max: nanoUsd(max), worst: nanoUsd(worst) }
}
