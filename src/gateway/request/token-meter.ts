import type { Plan } from '../../shared/api/account.ts'
import type { UsageBuckets } from '../../shared/api/requests.ts'
import { isPlan } from '../../shared/api/terms.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import {
  type ChatChunk,
  type ChatCompletion,
  type ChatUsage,
  FINISH_REASONS,
  type FinishReason,
} from '../../shared/formats/chat-completion.ts'
import { type NanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { PlainAnswer } from '../formats/chat/events.ts'
import { BUCKET_NAMES, type ReportedUsage, tokensIn, tokensOut } from '../formats/chat/usage.ts'
import { findTokenFactor } from '../models/catalog/model-families.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { Price } from '../models/catalog/price-bands.ts'
import { BYTES_PER_TOKEN } from '../models/tokens/token-counter.ts'
import {
  type Charge,
  countedCost,
  coverByPlan,
  coversAnswer,
  FREE,
  priceUsage,
  statusOfReport,
} from './charge.ts'
import { maxCost, type Priced, possibleCost, possibleTokens } from './quote.ts'

/** Largest ratio of the estimate to the reported output tokens after a report in the middle of a stream. */
const MAX_TIMES_REPORTED = 4
/** A cost that is at most so many times the bound of its request is possible, whatever the limits of the model. */
const POSSIBLE_TIMES_BOUND = 10

/**
 * Measures one request: what was sent, what came back, and what that costs. What a provider reports is used as far as it
 * can be true; the rest is estimated, and marked as such.
 */
export class TokenMeter {
  readonly #about: number
  readonly #plan: Plan
  readonly #count: () => Promise<number>
  /** The estimate of the prompt, for a provider that does not report it. */
  #promptTokens: number
  #reported: ReportedUsage | null = null
  #producedBytes = 0
  /** Number of deltas with text; each is at least one token. */
  #pieces = 0
  #showsReasoning = false
  #finished = false
  /** The finish reasons of all choices. */
  readonly finishReasons = new Set<string>()
  /** Whether nothing was produced since the last report. */
  #reportIsLast = false
  #factor: { offer: Offer; value: number } | null = null

  /**
   * `about`: a rough estimate of the prompt's tokens. `plan` is the account's at the time of the request; a later change
   * of plan does not reprice it. `count` counts the prompt's tokens; called for a charge by estimate only.
   */
  constructor(about: number, plan: Plan, count: () => Promise<number>) {
    this.#about = about
    this.#plan = plan
    this.#count = count
    this.#promptTokens = about
  }

  get discountPercent(): number {
    return this.#plan.discountPercent
  }

  get isReported(): boolean {
    return this.#reported !== null
  }

  /** Counts the prompt where it will be an estimate. Must be awaited before a charge that may not be zero. */
  async prepare(): Promise<void> {
    if (!this.isReported) this.#promptTokens = await this.#count()
  }

  /** Counts the output in a chunk of a stream, in case usage is not reported. */
  recordChunk(chunk: ChatChunk): void {
    for (const { delta, finish_reason } of chunk.choices) {
      if (delta.reasoning_content) this.#showsReasoning = true
      const bytes = producedBytes(delta, finish_reason)
      if (bytes > 0) {
        this.#producedBytes += bytes
        this.#pieces += 1
        this.#reportIsLast = false
      }
      if (finish_reason !== null) {
        this.#finished = true
        this.finishReasons.add(finish_reason)
      }
    }
  }

  recordCompletion(completion: ChatCompletion): void {
    for (const { message, finish_reason } of completion.choices) {
      this.#producedBytes += producedBytes(message, finish_reason)
      if (finish_reason !== null) this.finishReasons.add(finish_reason)
    }
    this.#finished = true
  }

  /** The provider's own count. It may come more than once: a count never goes down, so the larger one is used. */
  recordUsage(usage: ReportedUsage): void {
    this.#reportIsLast = true
    if (this.#reported && totalTokens(this.#reported) > totalTokens(usage)) return
    this.#reported = usage
  }

  /** The finish reason; null if it is missing or not a standard one. */
  get finishReason(): FinishReason | null {
    return FINISH_REASONS.find((reason) => this.finishReasons.has(reason)) ?? null
  }

  /** Whether anything came back that may have been billed. */
  get hasOutput(): boolean {
    return this.#producedBytes > 0 || this.#reported !== null
  }

  /** Whether the model may have reasoned without showing or reporting it. */
  get mayHideReasoning(): boolean {
    return !this.#showsReasoning && !this.isComplete
  }

  /** Whether the answer has finished and was reported after that. */
  get isComplete(): boolean {
    return this.#finished && this.#reportIsLast
  }

  /** An estimate of the tokens produced so far. */
  producedTokens({ offer }: Priced): number {
    const tokens = Math.ceil((this.#producedBytes / BYTES_PER_TOKEN) * this.#computeFactor(offer))
    return Math.max(tokens, this.#pieces)
  }

  /**
   * The charge of a complete answer, or of an interrupted one, which may have produced more than was counted. A report that cannot
   * be true is charged at the bound of the request, and counts as an upper bound.
   */
  computeCharge(charged: Priced, interrupted = false): Charge {
    const charge = this.#possibleCharge(charged, interrupted)
    return isPlan(charged.offer.providerId) ? coverByPlan(charge) : charge
  }

  #possibleCharge(charged: Priced, interrupted: boolean): Charge {
    const charge = this.#countedCharge(charged, interrupted)
    const { costNano } = charge
    if (!this.#reported || costNano === null || this.#isPossible(this.#reported, charge, charged))
      return charge
    const { price } = charged.offer
    const { calls, prompt, tier, units } = charged.bound
    const output = Math.max(charged.bound.output, Math.ceil(this.producedTokens(charged) / calls))
    const most = Array.from({ length: calls }, () => ({ ...NO_USAGE, input: prompt, output, ...units?.most }))
    const atBound = priceUsage({ price, calls: most, costStatus: 'estimated', tier }, this.#plan)
    if (atBound.costNano === null || atBound.costNano >= costNano) return charge
    return { ...atBound, costLowNano: ZERO_USD, costHighNano: costNano }
  }

  /**
   * Whether a report can be true. Relays add prompts of their own and servers add files, so all that fits into the model is: tokens
   * within its context window and its output limit, and costs up to the price of these. A bound of zero proves nothing, because
   * the price is zero.
   */
  #isPossible({ buckets }: ReportedUsage, { costNano, price }: Charge, charged: Priced): boolean {
    const { calls, output, units } = charged.bound
    const { discountPercent } = this.#plan
    const most = maxCost(charged, output, discountPercent)
    const cost = costNano ?? 0
    if (most === 0 || cost <= most * POSSIBLE_TIMES_BOUND) return true
    if (price?.reportedByProvider || units) return cost <= possibleCost(charged, discountPercent)
    const possible = possibleTokens(charged)
    return tokensIn(buckets) <= possible.prompt * calls && tokensOut(buckets) <= possible.output * calls
  }

  #countedCharge(charged: Priced, interrupted: boolean): Charge {
    const price = findPrice(charged)
    const report = this.#usableReport()
    const produced = this.producedTokens(charged)
    if (!report) {
      return this.#estimate(charged, { ...NO_USAGE, input: this.#sentTokens(charged), output: produced })
    }
    // Searches may be reported after the finish reason.
    const isWhole = interrupted
      ? this.isComplete && !charged.bound.units
      : !this.#isOutdated(report, produced)
    if (isWhole) {
      const calls = report.calls ?? [report.buckets]
      const costStatus = statusOfReport(report, price, charged.bound)
      const { costUsd, otherTier: tier } = report
      return priceUsage({ price, calls, costUsd, costStatus, tier }, this.#plan)
    }
    const output = Math.max(report.buckets.output, produced - report.buckets.audioOutput)
    return this.#estimate(charged, { ...report.buckets, output })
  }

  /** Whether most of the output came after the last report of a provider that reports as it goes. */
  #isOutdated({ buckets }: ReportedUsage, produced: number): boolean {
    return !this.#reportIsLast && produced > tokensOut(buckets) * MAX_TIMES_REPORTED
  }

  /** The charge of an answer to the same prompt that arrived while others failed. */
  async chargeOfAnswer(charged: Priced, { completion, usage }: PlainAnswer): Promise<Charge> {
    const meter = new TokenMeter(this.#about, this.#plan, this.#count)
    meter.#promptTokens = this.#promptTokens
    meter.recordCompletion(completion)
    if (usage) meter.recordUsage(usage)
    await meter.prepare()
    return meter.computeCharge({ offer: charged.offer, bound: { ...charged.bound, calls: 1 } })
  }

  /** The charge of a complete answer that had nothing in it, by the provider's own count. */
  settledCharge(charged: Priced, usage: ReportedUsage | null): Charge {
    if (usage) this.recordUsage(usage)
    return this.computeCharge(charged)
  }

  /**
   * The charge of a request without an answer, although its provider may have worked: its prompt and its likely output.
   * `reported`: the provider's count by then. `likely`: output tokens of each call. `max`: the highest possible cost.
   */
  unsettledCharge(
    charged: Priced,
    reported: ReportedUsage | null,
    { likely, max }: { likely: number; max: NanoUsd },
  ): Charge {
    const price = findPrice(charged)
    if (price && isFree(price)) return FREE
    const { prompt } = possibleTokens(charged)
    const isPossible = reported !== null && tokensIn(reported.buckets) <= prompt * charged.bound.calls
    const sent = { ...NO_USAGE, input: this.#sentTokens(charged), ...charged.bound.units?.likely }
    const seen = isPossible ? reported.buckets : sent
    const usage = { ...seen, output: Math.max(seen.output, likely * charged.bound.calls) }
    const { tier } = charged.bound
    const charge = priceUsage({ price, calls: [usage], costStatus: 'unsettled', tier }, this.#plan)
    if (isPlan(charged.offer.providerId)) return coverByPlan(charge)
    if (charge.costNano === null) return charge
    const high = max > charge.costNano ? max : charge.costNano
    return { ...charge, costLowNano: ZERO_USD, costHighNano: high }
  }

  /** The charge if the gateway crashes while the request runs. `likely`: output tokens of each call. Null when there is no price. */
  estimate({ offer: { price }, bound }: Priced, likely: number): NanoUsd | null {
    if (!price) return null
    const input = Math.min(this.#about, bound.prompt) * bound.calls
    const usage = { ...NO_USAGE, input, output: likely * bound.calls, ...bound.units?.likely }
    return countedCost(price, { calls: [usage], tier: bound.tier }, this.#plan)
  }

  /** The cost of the searches and other units that the request allows and nothing has reported. */
  costOfUnreported({ offer: { price }, bound: { units } }: Priced, reported: UsageBuckets | null): NanoUsd {
    if (!price || !units) return ZERO_USD
    const rest: UsageBuckets = { ...NO_USAGE }
    for (const name of BUCKET_NAMES) {
      const most = { ...NO_USAGE, ...units.most }[name] ?? 0
      if (most > 0) rest[name] = Math.max(0, most - (reported?.[name] ?? 0))
    }
    return countedCost(price, { calls: [rest] }, this.#plan)
  }

  /** The highest possible cost of the prompt, once the provider has counted it; null before. */
  reportedPromptCost(charged: Priced): NanoUsd | null {
    const report = this.#usableReport()
    if (!report || tokensIn(report.buckets) === 0) return null
    const charge = this.#estimate(charged, { ...report.buckets, output: 0, audioOutput: 0 })
    return this.#isPossible(report, charge, charged) ? charge.costNano : null
  }

  /** The `usage` member for a client: the provider's own, or the estimate. */
  chatUsage(charge: Charge): ChatUsage {
    return (
      this.#usableReport()?.asChatUsage ?? {
        prompt_tokens: charge.tokensIn,
        completion_tokens: charge.tokensOut,
        total_tokens: charge.tokensIn + charge.tokensOut,
      }
    )
  }

  #estimate(charged: Priced, usage: UsageBuckets): Charge {
    const price = findPrice(charged)
    const { bound } = charged
    const tier = this.#reported ? this.#reported.otherTier : bound.tier
    return priceUsage({ price, calls: [usage], costStatus: 'estimated', tier }, this.#plan)
  }

  /** Needed for every chunk of a stream, so the last one is cached. */
  #computeFactor(offer: Offer): number {
    if (this.#factor?.offer !== offer) this.#factor = { offer, value: findTokenFactor(offer.vendorModel) }
    return this.#factor.value
  }

  /** Null for a report with too few tokens for what has come: what is missing or zero is measured from the content. */
  #usableReport(): ReportedUsage | null {
    const report = this.#reported
    return report && coversAnswer(report.buckets, this.#producedBytes) ? report : null
  }

  /** Total prompt tokens across all calls, capped at the reservation. */
  #sentTokens({ offer, bound }: Priced): number {
    const each = Math.ceil(this.#promptTokens * this.#computeFactor(offer))
    return Math.min(each, bound.prompt) * bound.calls
  }
}

function totalTokens({ buckets }: ReportedUsage): number {
  return tokensIn(buckets) + tokensOut(buckets)
}

/** The price by which tokens are counted, also where a plan pays for them. */
function findPrice({ offer: { price, worth } }: Priced): Price | null {
  return worth ?? price
}

/** A model on the user's own machine always costs nothing. */
function isFree({ pricing }: Price): boolean {
  return Object.values(pricing).every((perMillion) => perMillion === 0)
}

function toBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  // Lists of parts, and other shapes that vendors use instead of text.
  return typeof value === 'object' && value !== null ? Buffer.byteLength(JSON.stringify(value)) : 0
}

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Bytes of a call's name and arguments. */
function callBytes(call: unknown): number {
  return (
    toBytes(readMember(call, 'name')) +
    toBytes(readMember(call, 'arguments')) +
    toBytes(readMember(call, 'input'))
  )
}

function toolCallBytes(calls: unknown): number {
  if (!Array.isArray(calls)) return 0
  let bytes = 0
  for (const call of calls)
    bytes += callBytes(readMember(call, 'function')) + callBytes(readMember(call, 'custom'))
  return bytes
}

/** The bytes of the members that hold the model's own text, in the dialects of the chat-completions format. */
function memberBytes(name: string, value: unknown, finish: string | null): number {
  switch (name) {
    case 'content':
    case 'reasoning_content':
    case 'reasoning':
    case 'content_parts':
      return toBytes(value)
    case 'refusal':
      // The finish reason of a filter that blocked the prompt: the model wrote nothing.
      return finish === 'content_filter' ? 0 : toBytes(value)
    case 'function_call':
      return callBytes(value)
    case 'audio':
      return toBytes(readMember(value, 'transcript'))
    case 'tool_calls':
      return toolCallBytes(value)
    default:
      return 0
  }
}

/** Bytes that the model wrote in a message or a stream's delta: text, reasoning, tool calls and audio transcripts. */
export function producedBytes(
  message: Readonly<Record<string, unknown>>,
  finish: string | null = null,
): number {
  let bytes = 0
  for (const name in message) bytes += memberBytes(name, message[name], finish)
  return bytes
}
