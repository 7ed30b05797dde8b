// A vendor's measurement of the body that it receives, and its bill. Written from the vendors' documentation; nothing here
// is taken from the gateway's own metering.
import { NO_TOKENS, type VendorTokens } from '../../upstream/testing/vendor-formats.ts'
import type { PriceList, SimulatedModel } from './models.ts'

/** A request as a vendor reads it. */
export interface ReceivedRequest {
  /** As the request names it; null if it names none. */
  model: string | null
  /** The number of the action that the request belongs to; null for a request without a conversation. */
  action: number | null
  streams: boolean
  /** Bytes of all text: messages, instructions, tools. */
  textBytes: number
  images: number
  /** Files, items, stored history and knowledge that the body refers to. */
  references: number
  /** The most searches that the vendor may do: 0 without a tool for it. */
  searches: number
  /** Whether the client wants a long answer. */
  isLong: boolean
  outputLimit: number | null
  choices: number
  /** Whether parts of the prompt are to be cached, and for how long. */
  caching: '5m' | '1h' | null
  /** How much the model is to reason, where the request says so. */
  effort: string | null
  /** Tokens of reasoning at most, where the request says so. */
  budget: number | null
  /** Whether the request lets the model think, in Anthropic's format. */
  thinks: boolean
  /** The tier of service that the request asks for. */
  tier: string | null
  /** Bytes of the whole body. */
  bodyBytes: number
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image'])
const REFERENCE_NAMES: ReadonlySet<string> = new Set([
  'agent_id',
  'conversation',
  'document_ids',
  'file_id',
  'file_url',
  'files',
  'previous_response_id',
])
const SEARCH_TOOL = /^web_search/
/** Searches at most where the request does not limit them. */
const USUAL_SEARCHES = 3

/** Reads a request of any of the formats. `path` has the model and the action in those of Google and AWS. */
export function receive(text: string, path: string): ReceivedRequest {
  const parsed: unknown = text === '' ? {} : JSON.parse(text)
  const body = isJson(parsed) ? parsed : {}
  const inPath = /models\/([^:]+):/.exec(path)?.[1] ?? /^\/model\/([^/]+)\//.exec(path)?.[1]
  const model = typeof body.model === 'string' ? body.model : inPath && decodeURIComponent(inPath)
  const received: ReceivedRequest = {
    model: model ?? null,
    action: null,
    streams: body.stream === true || /:streamGenerateContent|\/converse-stream$/.test(path),
    textBytes: 0,
    images: 0,
    references: 0,
    searches: 0,
    isLong: false,
    outputLimit: null,
    choices: 1,
    caching: null,
    effort: null,
    budget: null,
    thinks: isJson(body.thinking) && body.thinking.type !== 'disabled',
    tier: typeof body.service_tier === 'string' ? body.service_tier : null,
    bodyBytes: Buffer.byteLength(text),
  }
  const config = isJson(body.generationConfig) ? body.generationConfig : {}
  const limit = [
    body.max_completion_tokens,
    body.max_tokens,
    body.max_output_tokens,
    config.maxOutputTokens,
    config.max_output_tokens,
    isJson(body.inferenceConfig) && body.inferenceConfig.maxTokens,
  ].find((value) => typeof value === 'number')
  if (typeof limit === 'number') received.outputLimit = limit
  const choices = body.n ?? config.candidateCount
  if (typeof choices === 'number') received.choices = choices
  readReasoning(body, config, received)
  walk(body, received)
  if (received.searches > 0 && typeof body.max_tool_calls === 'number')
    received.searches = body.max_tool_calls
  return received
}

/** OpenAI and xAI have efforts, Anthropic an effort or a budget, Google a level or a budget. */
function readReasoning(body: Json, config: Json, received: ReceivedRequest): void {
  const member = (value: unknown, name: string) => (isJson(value) ? value[name] : undefined)
  const effort = [
    body.reasoning_effort,
    member(body.reasoning, 'effort'),
    member(body.output_config, 'effort'),
    member(config.thinkingConfig, 'thinkingLevel'),
  ].find((value) => typeof value === 'string')
  if (typeof effort === 'string') received.effort = effort.toLowerCase()
  const budget = member(body.thinking, 'budget_tokens') ?? member(config.thinkingConfig, 'thinkingBudget')
  if (typeof budget === 'number' && budget >= 0) received.budget = budget
}

function walk(value: unknown, received: ReceivedRequest): void {
  if (typeof value === 'string') {
    received.textBytes += Buffer.byteLength(value)
    const marker = MARKER.exec(value)
    if (marker) {
      received.action = Number(marker[1])
      received.isLong = marker[2] !== undefined
    }
  } else if (Array.isArray(value)) for (const each of value) walk(each, received)
  else if (isJson(value)) walkObject(value, received)
}

function walkObject(value: Json, received: ReceivedRequest): void {
  const { type } = value
  if (IMAGE_TYPES.has(type) || 'inlineData' in value || 'inline_data' in value || isJson(value.image)) {
    received.images += 1
    return
  }
  if (typeof type === 'string' && SEARCH_TOOL.test(type) && !('action' in value))
    received.searches = typeof value.max_uses === 'number' ? value.max_uses : USUAL_SEARCHES
  if ('googleSearch' in value || 'google_search' in value) received.searches = USUAL_SEARCHES
  if (isJson(value.cachePoint)) received.caching = value.cachePoint.ttl === '1h' ? '1h' : '5m'
  if (isJson(value.cache_control)) received.caching = value.cache_control.ttl === '1h' ? '1h' : '5m'
  // An item by its id, without content.
  const isItem =
    typeof value.id === 'string' && !('content' in value) && !('name' in value) && !('role' in value)
  if (isItem) received.references += 1
  for (const [name, inner] of Object.entries(value)) {
    if (REFERENCE_NAMES.has(name)) received.references += 1
    else if (name !== 'model') walk(inner, received)
  }
}

/** Marks a text as that of an action, so that a vendor's bill is known from others. */
export const createMarker = (action: number, isLong: boolean): string =>
  `[[q${action}${isLong ? ' long' : ''}]]`
const MARKER = /\[\[q(\d+)( long)?\]\]/

/** The tokens of the prompt. `bytesPerToken`: 3 to 5; `tiles`: of each image; all are chosen by the seed. */
export function meterPrompt(
  { textBytes, images, caching }: ReceivedRequest,
  model: SimulatedModel,
  drawn: { bytesPerToken: number; tiles: number; cached: number; added: number },
): VendorTokens {
  const { base, each, tiles } = model.images
  const ofImages = images * (base + each * Math.min(drawn.tiles, tiles))
  const own = Math.min(Math.ceil(textBytes / drawn.bytesPerToken) + ofImages, model.contextWindow)
  const cacheable = caching || model.prices.cacheWritePerMillion === undefined ? own : 0
  const cacheRead = Math.floor(cacheable * drawn.cached)
  const cacheWrite = caching && model.prices.cacheWritePerMillion !== undefined ? own - cacheRead : 0
  return {
    ...NO_TOKENS,
    input: own - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite5m: caching === '5m' ? cacheWrite : 0,
    cacheWrite1h: caching === '1h' ? cacheWrite : 0,
    added: Math.min(drawn.added, model.contextWindow - own),
  }
}

/** Nano-dollars. `tierFactor` multiplies the prices of tokens. */
export function computePrice(usage: VendorTokens, prices: PriceList, tierFactor: number): number {
  const { inputPerMillion, outputPerMillion, cacheReadPerMillion } = prices
  const { cacheWritePerMillion = inputPerMillion, cacheWriteHourPerMillion = inputPerMillion } = prices
  const tokens =
    (usage.input + usage.added) * inputPerMillion +
    usage.cacheRead * cacheReadPerMillion +
    usage.cacheWrite5m * cacheWritePerMillion +
    usage.cacheWrite1h * cacheWriteHourPerMillion +
    (usage.text + usage.reasoning) * outputPerMillion
  const searches = usage.searches * (prices.perThousandWebSearches ?? 0) * 1_000_000
  return Math.round(tokens * 1_000 * tierFactor + searches)
}

/** The cost of the input that a vendor has added to a prompt unasked, as relays do. Nano-dollars. */
export function computeUnasked({ unasked, model, tierFactor }: BilledInput): number {
  return unasked * model.prices.inputPerMillion * 1_000 * tierFactor
}

interface BilledInput {
  /** Tokens. */
  unasked: number
  model: SimulatedModel
  tierFactor: number
}

/** The cost of the longest prompt and the longest answer that a model has. Nano-dollars. */
export function computeFull({ model, tierFactor }: Omit<BilledInput, 'unasked'>): number {
  const { prices, contextWindow, maxOutputTokens } = model
  const { inputPerMillion, cacheWriteHourPerMillion = inputPerMillion, outputPerMillion } = prices
  const tokens = contextWindow * cacheWriteHourPerMillion + maxOutputTokens * outputPerMillion
  return tokens * 1_000 * tierFactor
}

/** Tokens that vendors may add to a prompt to explain tools to the model. */
const INSTRUCTIONS = 1_000

/**
 * The highest possible cost of a request, whatever its vendor reports; Infinity where the vendor may add its own input.
 * Nano-dollars.
 */
export function mostNano({ received, model }: { received: ReceivedRequest; model: SimulatedModel }): number {
  const { bodyBytes, images, references, searches, choices } = received
  if (references > 0 || searches > 0) return Infinity
  const { base, each, tiles } = model.images
  const limit = received.outputLimit ?? model.maxOutputTokens
  const apart = model.reasoningIsExtra ? model.maxOutputTokens : 0
  const { inputPerMillion, cacheWriteHourPerMillion = inputPerMillion, outputPerMillion } = model.prices
  const input = bodyBytes + INSTRUCTIONS + images * (base + each * tiles)
  const tokens = input * cacheWriteHourPerMillion + (limit + apart) * choices * outputPerMillion
  return tokens * 1_000 * Math.max(1, ...Object.values(model.tierFactors ?? {}))
}
