// Upper bounds of what a request can cost at one target, from the size of what is sent.

import { REQUEST_NEEDS } from '../../shared/api/terms.ts'
import { NO_USAGE } from '../../shared/api/usage-buckets.ts'
import { type ChatRequest, outputLimit } from '../../shared/formats/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money/money.ts'
import {
  ASSUMED_MAX_OUTPUT,
  type DecodedRequest,
  type EncodedRequest,
  limitOutput,
  type Quirks,
  type Target,
} from '../formats/chat/codec-types.ts'
import type { SentContent } from '../formats/chat/content-counter.ts'
import type { AnswerMode } from '../formats/chat/events.ts'
import type { UpstreamFailure } from '../formats/chat/failure.ts'
import type { Units } from '../formats/chat/pass-through.ts'
import { isObject, type JsonObject, wholeNumber } from '../formats/json/json.ts'
import { boundImageTokens, findTokenFactor } from '../models/catalog/model-families.ts'
import type { Offer } from '../models/catalog/offers.ts'
import { estimatePromptTokens, type ImageData } from '../models/tokens/token-counter.ts'
import { costOfCalls, MAX_REQUEST_NANO } from '../spend/cost.ts'
import type { Amounts } from '../spend/reservation.ts'
import type { Forecast } from './forecast.ts'
import { findUnpriced, type RequestedExtras, type UnpricedExtra } from './requested-extras.ts'

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

/** An offer that can serve a request, and how it is sent the request. Its size decides what is reserved. */
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

/** The highest possible cost of the prompt and `output` tokens in each call. Zero without a price. */
export function maxCost(
  { offer: { price }, bound }: { offer: Offer; bound: Bound },
  output: number,
  discountPercent: number,
): NanoUsd {
  if (!price) return nanoUsd(0)
  const { calls, prompt, tier, units } = bound
  const rates = price.maxRates(prompt, tier)
  const usage = { ...NO_USAGE, input: prompt, output, ...units?.most }
  const cost = costOfCalls([{ usage, rates }], discountPercent)
  return nanoUsd(Math.min(cost * calls, MAX_REQUEST_NANO))
}

/** Tokens that stand for a limit of the model that the catalog does not know, where a report is judged. */
const UNKNOWN_WINDOW = 2_000_000
const UNKNOWN_OUTPUT = 200_000

/** The most tokens that a provider can have read and written in one call: a full context window, and the model's whole output. */
export function possibleTokens({ offer, bound }: Pick<Candidate, 'offer' | 'bound'>): {
  prompt: number
  output: number
} {
  return {
    prompt: Math.max(offer.contextWindow ?? UNKNOWN_WINDOW, bound.prompt),
    output: Math.max(offer.maxOutputTokens ?? UNKNOWN_OUTPUT, bound.output),
  }
}

/** The cost of these tokens in every call, and of all searches and other units that the request allows. */
export function possibleCost(
  { offer, bound }: Pick<Candidate, 'offer' | 'bound'>,
  discountPercent: number,
): NanoUsd {
  const { prompt, output } = possibleTokens({ offer, bound })
  return maxCost({ offer, bound: { ...bound, prompt } }, output, discountPercent)
}

/** The requirements of the request, as the ledger has them. */
export function requestNeeds(
  { request, unsupported }: Pick<DecodedRequest, 'request' | 'unsupported'>,
  images: ImageData,
): number {
  const { tools, response_format: format } = request
  let needs = images.count > 0 ? REQUEST_NEEDS.vision : 0
  if (tools && tools.length > 0) needs |= REQUEST_NEEDS.tools
  if (format && format.type !== 'text') needs |= REQUEST_NEEDS.json
  if (unsupported) needs |= REQUEST_NEEDS.ownApi
  return needs
}

/** A price taken from a similar model may be too low by about this factor. */
const APPROXIMATE_PRICE_FACTOR = 2

/** The factor for the usual bounds of a candidate, because its usage has exceeded them before. */
export function computeFactor(candidate: Candidate, forecast: Forecast): number {
  return forecast.factor(forecastName(candidate.offer)) * priceFactor(candidate)
}

/** The part of the factor that was not learned. */
export function priceFactor({ offer }: Candidate): number {
  return offer.price?.origin.match === 'approximate' ? APPROXIMATE_PRICE_FACTOR : 1
}

/** The highest cost of a candidate with `output` tokens in each call, as far as is known of its model. */
export function reservationAt(
  candidate: Candidate,
  output: number,
  discountPercent: number,
  forecast: Forecast,
): NanoUsd {
  const cost = maxCost(candidate, output, discountPercent) * computeFactor(candidate, forecast)
  return nanoUsd(Math.min(Math.ceil(cost), MAX_REQUEST_NANO))
}

/** The forecast's name for a model of one provider. */
export function forecastName({ providerId, upstreamModel }: Candidate['offer']): string {
  return `${providerId}/${upstreamModel}`
}

/** The likely output tokens of one streamed call, all its choices together. */
export function likelyOutput(
  candidate: Candidate,
  request: ChatRequest,
  keyId: string,
  forecast: Forecast,
): number {
  const { bound, offer, likelyReasoning } = candidate
  const choices = bound.calls > 1 ? 1 : (request.n ?? 1)
  const likely = forecast.likelyOutput(keyId, forecastName(offer), likelyReasoning) * choices
  return Math.min(likely + (bound.predicted ?? 0), bound.output)
}

interface AmountsInput {
  request: ChatRequest
  keyId: string
  discountPercent: number
  isStrict: boolean
}

/**
 * What a request reserves at its start: a plain call its worst case, a stream its prompt and a likely output, of which only
 * reasoning is necessary, or under a strict limit its worst case too. The most expensive candidate decides, because any of them may serve in the end.
 */
export function amountsFor(
  candidates: readonly Candidate[],
  { request, keyId, discountPercent, isStrict }: AmountsInput,
  forecast: Forecast,
): Omit<Amounts, 'end'> & { worst: NanoUsd } {
  const computeMax = (getOutput: (candidate: Candidate) => number): NanoUsd => {
    const costs = candidates.map((candidate) =>
      reservationAt(candidate, getOutput(candidate), discountPercent, forecast),
    )
    return nanoUsd(Math.max(0, ...costs))
  }
  const worst = computeMax(({ bound }) => bound.output)
  if (!request.stream || isStrict) return { min: worst, max: worst, worst }
  const likely = (candidate: Candidate) => likelyOutput(candidate, request, keyId, forecast)
  return {
    // Reasoning may be billed before any of it is seen.
    min: computeMax((candidate) => (candidate.likelyReasoning === undefined ? 0 : likely(candidate))),
    max: computeMax(likely),
    worst,
  }
}
