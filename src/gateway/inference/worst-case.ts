// Upper bounds of what a request can cost at one target, from the size of what is sent.
import { type ChatRequest, outputLimit } from '../../shared/chat.ts'
import { type NanoUsd, nanoUsd } from '../../shared/money.ts'
import { NO_USAGE } from '../../shared/usage-buckets.ts'
import { costOfCalls, MAX_REQUEST_NANO } from '../billing/cost.ts'
import { mostImageTokens } from '../catalog/image-bounds.ts'
import type { Offer } from '../catalog/offers.ts'
import type { Units } from '../formats/pass-through/pass-through.ts'
import { ASSUMED_MAX_OUTPUT } from '../formats/target.ts'
import type { ImageData } from '../tokens/estimate-tokens.ts'
import type { RequestedExtras } from './requested-extras.ts'

/** Tokens. No model writes more in one answer, and an absurd `max_tokens` must not reserve more than can be counted. */
export const MAX_OUTPUT = 10_000_000
/** Tokens that vendors add to a prompt with tools, to explain to the model how to call them. */
const TOOL_INSTRUCTIONS = 1_000
/** Tokens; taken for a context window that is not known. */
const ASSUMED_CONTEXT = 1_000_000

export interface Bound {
  /** How many upstream calls the request takes; each is sent the whole prompt. */
  calls: number
  /** Tokens of one call's prompt. */
  prompt: number
  /** Whether the provider may add to the prompt until the request has ended: `prompt` is its whole context window. */
  external: boolean
  /** Tokens of one call's answer, all its choices together. */
  output: number
  /** What else a call can be billed for: the most, and what is likely. */
  units?: { most: Units; likely: Units }
  /** The tier of service that the request asks for, if not the standard one. */
  tier?: string | undefined
}

/** The size of the request as it is sent. */
export interface SentSize {
  /** Of one call's body. */
  bytes: number
  images: ImageData
  calls: number
  /** Whether the provider may add to the prompt what the body does not hold. */
  external: boolean
  extras?: RequestedExtras
}

/** Output tokens of one choice: the request's limit, or the model's. `assumed`: neither is known. */
export function outputBound(request: ChatRequest, offer: Offer): { tokens: number; assumed: boolean } {
  const limit = outputLimit(request)
  if (limit !== null) return { tokens: Math.min(limit, MAX_OUTPUT), assumed: false }
  if (offer.maxOutputTokens !== null)
    return { tokens: Math.min(offer.maxOutputTokens, MAX_OUTPUT), assumed: false }
  return { tokens: Math.min(ASSUMED_MAX_OUTPUT, offer.contextWindow ?? ASSUMED_MAX_OUTPUT), assumed: true }
}

/**
 * A token is at least one byte, so the bytes of the body bound its tokens, except for images and for what the body only
 * refers to. No prompt is longer than the model's context window.
 */
export function boundOf(
  request: ChatRequest,
  offer: Offer,
  { bytes, images, calls, external, extras }: SentSize,
): Bound {
  const { webSearches = 0, tier } = extras ?? {}
  const asked = {
    calls,
    ...(webSearches > 0 && { units: { most: { webSearches }, likely: {} } }),
    ...(tier !== undefined && { tier }),
  }
  const context = offer.contextWindow ?? ASSUMED_CONTEXT
  const choices = calls > 1 ? 1 : (request.n ?? 1)
  const output = outputBound(request, offer).tokens * choices
  if (external || hasExternalContent(request)) return { ...asked, prompt: context, external: true, output }
  const text = bytes - images.bytes + (request.tools || 'functions' in request ? TOOL_INSTRUCTIONS : 0)
  const prompt = text + images.count * mostImageTokens(offer.vendorModel)
  return { ...asked, prompt: Math.min(prompt, offer.contextWindow ?? Infinity), external: false, output }
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

const SIZED_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'refusal', 'thinking'])
const OWN_TOOLS: ReadonlySet<string> = new Set(['function', 'custom'])
/** Fields that make the provider search, and put what it finds into the prompt. */
const SEARCH_FIELDS = ['web_search_options', 'plugins', 'search_parameters'] as const

/** Whether the prompt may hold what the body does not: stored files, pages of a document, search results. */
function hasExternalContent(request: ChatRequest): boolean {
  if (SEARCH_FIELDS.some((field) => request[field] !== undefined && request[field] !== null)) return true
  if (request.tools?.some(({ type }) => !OWN_TOOLS.has(type))) return true
  return request.messages.some(
    ({ content }) => Array.isArray(content) && content.some(({ type }) => !SIZED_PARTS.has(type)),
  )
}
