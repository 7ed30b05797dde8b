// The most that a request can come to at one target: an upper bound, from what is sent. Pure.
import { type ChatRequest, outputLimit } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { costOfCalls, MOST_NANO, type Rates } from '../billing/cost.ts'
import { mostImageTokens } from '../catalog/image-bounds.ts'
import type { Offer } from '../catalog/offers.ts'
import { ASSUMED_MAX_OUTPUT } from '../formats/target.ts'
import { NO_USAGE } from '../formats/token-usage.ts'
import type { ImageData } from '../tokens/estimate-tokens.ts'

/** Tokens. No model writes more in one answer, and an absurd `max_tokens` must not reserve more than can be counted. */
export const MOST_OUTPUT = 10_000_000
/** Tokens that vendors add to a prompt with tools, to tell the model how to call them. */
const TOOL_INSTRUCTIONS = 1_000
/** Tokens; the context of a model that nobody states, where all of it may be filled. */
const ASSUMED_CONTEXT = 1_000_000

export interface Bound {
  /** How many upstream calls the request takes; each is sent the whole prompt. */
  calls: number
  /** Tokens of one call's prompt. */
  prompt: number
  /** Tokens of one call's answer, all its choices together. */
  output: number
}

/** The request as it is sent, as far as its size goes. */
export interface SentSize {
  /** Of the body of one call. */
  bytes: number
  images: ImageData
  calls: number
}

/** Output tokens of one choice: what the request allows, or what the model does. */
export function outputBound(request: ChatRequest, offer: Offer): { tokens: number; assumed: boolean } {
  const asked = outputLimit(request)
  if (asked !== null) return { tokens: Math.min(asked, MOST_OUTPUT), assumed: false }
  if (offer.maxOutputTokens !== null)
    return { tokens: Math.min(offer.maxOutputTokens, MOST_OUTPUT), assumed: false }
  return { tokens: Math.min(ASSUMED_MAX_OUTPUT, offer.contextWindow ?? ASSUMED_MAX_OUTPUT), assumed: true }
}

/**
 * A token stands for at least one byte, so the bytes of the body bound its tokens, but for images and for what the body
 * only refers to. No prompt is longer than the model's context.
 */
export function boundOf(request: ChatRequest, offer: Offer, { bytes, images, calls }: SentSize): Bound {
  const context = offer.contextWindow ?? ASSUMED_CONTEXT
  const choices = calls > 1 ? 1 : (request.n ?? 1)
  const output = outputBound(request, offer).tokens * choices
  if (refersElsewhere(request)) return { calls, prompt: context, output }
  const text = bytes - images.bytes + (request.tools || 'functions' in request ? TOOL_INSTRUCTIONS : 0)
  const prompt = text + images.count * mostImageTokens(offer.upstreamModel)
  return { calls, prompt: Math.min(prompt, offer.contextWindow ?? Infinity), output }
}

/** The dearest that a prompt and so many output tokens in each call can be. Zero without a price. */
export function mostCost(offer: Offer, { calls, prompt }: Bound, output: number, discount: number): NanoUsd {
  if (!offer.price) return nanoUsd(0)
  const rates = dearest(offer.price.rates(prompt))
  const cost = costOfCalls([{ usage: { ...NO_USAGE, input: prompt, output }, rates }], discount)
  return nanoUsd(Math.min(cost * calls, MOST_NANO))
}

/** Writing a prompt into a cache can cost more than reading it plainly. */
export function dearest(rates: Rates): Rates {
  const { input, cacheWrite5m, cacheWrite1h, audioInput, output, audioOutput } = rates
  return {
    ...rates,
    input: Math.max(input, cacheWrite5m, cacheWrite1h, audioInput),
    output: Math.max(output, audioOutput),
  }
}

const SIZED_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'refusal', 'thinking'])
const OWN_TOOLS: ReadonlySet<string> = new Set(['function', 'custom'])
/** Fields that have the provider search, and put what it finds into the prompt. */
const SEARCH_FIELDS = ['web_search_options', 'plugins', 'search_parameters'] as const

/** Whether the prompt may hold what the body does not: stored files, pages of a document, what a search finds. */
function refersElsewhere(request: ChatRequest): boolean {
  if (SEARCH_FIELDS.some((field) => request[field] !== undefined && request[field] !== null)) return true
  if (request.tools?.some(({ type }) => !OWN_TOOLS.has(type))) return true
  return request.messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => !SIZED_PARTS.has(type)),
  )
}
