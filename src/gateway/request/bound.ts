// The most tokens that a request can take at one target, from the size of what is sent.

import { type ChatRequest, outputLimit } from '../../shared/formats/chat.ts'
import { ASSUMED_MAX_OUTPUT, limitOutput, type Quirks } from '../formats/chat/codec-types.ts'
import type { SentContent } from '../formats/chat/content-counter.ts'
import type { Units } from '../formats/chat/pass-through.ts'
import type { RequestedExtras } from '../formats/chat/requested-extras.ts'
import { isObject, type JsonObject, wholeNumber } from '../formats/json/json.ts'
import { boundImageTokens, findTokenFactor } from '../models/catalog/model-families.ts'
import type { Offer } from '../models/catalog/offers.ts'
import type { Price } from '../models/catalog/price-bands.ts'
import { estimatePromptTokens } from '../models/tokens/token-counter.ts'

/** Tokens. No model writes more in one answer, and an absurd `max_tokens` must not reserve more than can be counted. */
const MAX_OUTPUT = 10_000_000
/** Tokens that vendors add to a prompt with tools or a format of the answer, to explain them to the model. */
const INSTRUCTIONS = 1_000
/** Tokens; Anthropic documents up to 735 for one of its tools, and up to 500 for all together. */
const VENDOR_TOOL = 2_000
const MAX_CHOICES = 128
/** Tokens; taken for a context window that is not known. */
export const ASSUMED_CONTEXT = 1_000_000

export interface Bound {
  /** How many upstream calls the request takes; each is sent the whole prompt. */
  calls: number
  /** Tokens of one call's prompt. */
  prompt: number
  /** Whether the provider may add to the prompt until the request has ended: `prompt` is at least its context window. */
  external: boolean
  /** Tokens of one call's answer, all its choices together. */
  output: number
  /** Tokens of these that the client predicts, beyond its output limit. */
  predicted?: number
  /** Other units that a call can be billed for: the most, and the likely number. */
  units?: { most: Units; likely: Units }
  /** The tier of service that the request asks for, if not the standard one. */
  tier?: string | undefined
  /** The extra of the request that has no known price, although the model has one. */
  unpriced?: UnpricedExtra
}

/** The size of the request to one provider. */
export interface SentSize {
  /** The size of one call's body. */
  bytes: number
  content: SentContent
  calls: number
  /** The client's own request, if that is what is sent. */
  asked?: JsonObject
  /** The size of the answer that it predicts. What the model rejects of it is billed as output. */
  predictedBytes?: number
  quirks?: Pick<Quirks, 'additiveReasoning' | 'unlimitedReasoning'>
  /** Tools that the vendor defines and adds its own instructions for. */
  vendorTools?: number
  /** Tokens; the context window that the request asks for, if that is not the usual one. */
  askedWindow?: number
  /** Tokens; a smaller output limit is sent as this one. */
  leastOutput?: number
  extras?: RequestedExtras
  /** Whether the whole bound must fit under a limit. */
  isStrict?: boolean
  /** Tokens; the output limit that is sent although the client gives none, or a larger one. */
  outputLimit?: number | null
}

/**
 * Output tokens of one choice: the request's limit, or the model's, and the reasoning that does not count within the limit.
 * `assumed`: neither limit is known. `asked`: the client's request, if the chat request is not what is sent.
 */
export function outputBound(
  request: ChatRequest,
  offer: Offer,
  {
    quirks = {},
    asked = request,
    outputLimit: sentLimit,
  }: Pick<SentSize, 'quirks' | 'asked' | 'outputLimit'> = {},
): { tokens: number; assumed: boolean } {
  const limit = limitOutput(outputLimit(request), { enforcedOutputTokens: sentLimit ?? null })
  const { maxOutputTokens: most, capabilities } = offer
  if (limit !== null) {
    const isApart =
      (quirks.additiveReasoning === true || quirks.unlimitedReasoning === true) &&
      request.reasoning_effort !== 'none' &&
      capabilities.includes('reasoning')
    const apart = Math.max(readBudget(asked, limit), isApart ? (most ?? ASSUMED_MAX_OUTPUT) : 0)
    return { tokens: Math.min(limit + apart, MAX_OUTPUT), assumed: false }
  }
  if (most !== null) return { tokens: Math.min(most, MAX_OUTPUT), assumed: false }
  return { tokens: Math.min(ASSUMED_MAX_OUTPUT, offer.contextWindow ?? ASSUMED_MAX_OUTPUT), assumed: true }
}

/**
 * A budget for reasoning beyond the output limit: OpenRouter's and Alibaba's, whose relation to the limit depends on the model,
 * and Anthropic's if it exceeds the limit, as it may for thinking between calls of tools.
 */
function readBudget({ reasoning, thinking, thinking_budget: budget }: JsonObject, limit: number): number {
  const ofAnthropic = isObject(thinking) ? (wholeNumber(thinking.budget_tokens) ?? 0) : 0
  return Math.max(
    wholeNumber(budget) ?? 0,
    isObject(reasoning) ? (wholeNumber(reasoning.max_tokens) ?? 0) : 0,
    ofAnthropic >= limit ? ofAnthropic : 0,
  )
}

/**
 * A token is at least one byte, so the bytes of the body bound its tokens, except for images, documents and what the body only
 * refers to. No prompt is longer than the model's context window, unless the catalog is wrong about it: then the bytes count.
 * Throws for a bound that is not positive, which would let a request run for free.
 */
export function computeBound(request: ChatRequest, offer: Offer, sent: SentSize): Bound {
  const { bytes, content, calls, extras, leastOutput = 0, vendorTools = 0, askedWindow = 0 } = sent
  const { predictedBytes: predicted = 0 } = sent
  const { images, dataBytes, unsized, external } = content
  const { vendorModel, contextWindow } = offer
  const window = contextWindow === null ? null : Math.max(contextWindow, askedWindow)
  const instructions = (hasInstructions(request) ? INSTRUCTIONS : 0) + vendorTools * VENDOR_TOOL
  const pictures = images.count === 0 ? 0 : images.count * boundImageTokens(vendorModel)
  const text = bytes - images.bytes + instructions + pictures
  const likely = estimatePromptTokens(bytes - dataBytes, images) * findTokenFactor(vendorModel)
  const sized = window === null || likely > window ? text : Math.min(text, window)
  const prompt =
    unsized || external ? Math.max(window ?? Math.max(ASSUMED_CONTEXT, askedWindow), sized) : sized
  if (!(prompt > 0)) throw new RangeError(`the bound of a prompt is ${prompt} tokens`)
  const choices = calls > 1 ? 1 : Math.max(request.n ?? 1, wholeNumber(request.best_of, 1, MAX_CHOICES) ?? 1)
  const output = Math.max(outputBound(request, offer, sent).tokens, leastOutput) * choices + predicted
  const answer = { output, ...(predicted > 0 && { predicted }) }
  return { calls, prompt, external, ...answer, ...(extras && boundExtras(extras, offer, sent)) }
}

function boundExtras(
  extras: RequestedExtras,
  { price, vendorModel: model }: Offer,
  { isStrict = false }: SentSize,
): Pick<Bound, 'units' | 'tier' | 'unpriced'> {
  const { searches, tier } = extras
  const unpriced = price && findUnpriced(extras, price, { model, isStrict })
  return {
    ...(Object.keys(searches).length > 0 && { units: { most: searches, likely: {} } }),
    ...(tier && { tier: tier.name }),
    ...(unpriced && { unpriced }),
  }
}

/** Whether vendors explain to the model how to call tools, or how to answer in a format. */
function hasInstructions(request: ChatRequest): boolean {
  return Boolean(request.tools) || 'functions' in request || Boolean(request.response_format)
}

/** An extra for which a cap cannot be enforced. */
export interface UnpricedExtra {
  param: string
  /** The problem, as the beginning of a sentence. */
  problem: string
  /** The client's remedy, as the beginning of another sentence. */
  remedy: string
}

const PRICE_MEMBERS = {
  webSearches: 'perThousandWebSearches',
  fileSearches: 'perThousandFileSearches',
  audioOutput: 'audioOutputPerMillion',
} as const

const LEAVE = 'Leave it out'
const setPrice = (member: string) => `set "${member}" in the price of the model with PUT /v1/models/{id}`

/**
 * What the request asks for although the price of the model does not cover it; null if all has a price. `isStrict`: what has
 * no upper limit is not covered either.
 */
export function findUnpriced(
  { tools, tier, unlimited }: RequestedExtras,
  price: Price,
  { model, isStrict }: { model: string; isStrict: boolean },
): UnpricedExtra | null {
  if (price.origin.source === 'local' || price.origin.source === 'builtin') return null
  if (tier) {
    const { assumed = [] } = price.rates(0, tier.name)
    if (assumed.includes('input') || assumed.includes('output')) {
      const problem = `The price of "${model}" with "${tier.param}": "${tier.name}" is not known`
      return { param: tier.param, problem, remedy: `${LEAVE}, ${setPrice('tierFactors')}` }
    }
  }
  if (tools.length === 0) return null
  const { assumed = [] } = price.rates(0)
  for (const { param, name, billing } of tools) {
    if (billing === 'tokens') continue
    if (billing !== 'other' && !assumed.includes(billing)) continue
    const [what, leave] =
      param === 'model' ? ['its searches of the web', 'Choose another model'] : [`"${name}"`, LEAVE]
    const problem = `The price of "${model}" with ${what} is not known`
    return {
      param,
      problem,
      remedy: billing === 'other' ? leave : `${leave}, ${setPrice(PRICE_MEMBERS[billing])}`,
    }
  }
  if (!isStrict || !unlimited) return null
  return {
    param: unlimited.param,
    problem: `The request does not limit how often "${unlimited.name}" may search`,
    remedy: 'Set "max_tool_calls" (Responses) or "max_uses" (Messages), or leave it out',
  }
}
