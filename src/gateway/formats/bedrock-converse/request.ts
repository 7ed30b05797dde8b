// The body of `Converse` and `ConverseStream`. Source: AWS's API reference. Only the fields named here are forwarded;
// `parallel_tool_calls` has no counterpart.
import { type ChatRequest, type KnownChatRequest, outputLimit } from '../../../shared/formats/chat.ts'
import { markPrompt } from '../anthropic-messages/cache-marks.ts'
import { encodeThinking, OUTPUT_SCHEMA, readCacheControl } from '../anthropic-messages/request.ts'
import { type EncodedRequest, encodeCall, limitOutput, type Target } from '../chat/codec-types.ts'
import * as chat from '../chat/message-content.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { narrowSchema } from '../json/narrow-schema.ts'
import { encodeEffort, findMaker, isClaude, type Maker } from './makers.ts'
import { encodeConversation, type Turn } from './messages.ts'

const UNSUPPORTED: chat.UnsupportedFields = { ...chat.LEGACY_AND_AUDIO, web_search_options: () => false }

interface Tooling {
  tools: JsonObject[]
  choice: JsonObject | null
  /** Says what a choice would say that Converse, or the model, does not have. */
  instruction: string | null
}

function encodeTool({ name, description, parameters, given }: chat.FunctionTool): JsonObject {
  return {
    toolSpec: {
      name,
      ...(description !== null && description !== '' && { description }),
      inputSchema: { json: { type: 'object', properties: {}, ...parameters } },
    },
    ...readCacheControl(given),
  }
}

/** Converse rejects calls and results in the conversation if no tools are given. */
function restoreTools(called: ReadonlySet<string>): JsonObject[] {
  return [...called].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } }))
}

const NO_CALLS = 'Answer with text only: do not call any tool.'

function encodeTools(
  request: KnownChatRequest,
  called: ReadonlySet<string>,
  { target, maker }: { target: Target; maker: Maker },
): Tooling {
  const { tools, choice } = chat.readToolUse(request)
  const isOff = choice === 'none' || tools.length === 0
  if (isOff && called.size === 0) return { tools: [], choice: null, instruction: null }
  // The cache is lost when tools change their places, as those of MCP servers do that connect in another order.
  const ordered = target.cache ? tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : tools
  const encoded = tools.length > 0 ? ordered.map(encodeTool) : restoreTools(called)
  if (isOff) return { tools: encoded, choice: null, instruction: NO_CALLS }
  if (choice === null || choice === 'auto')
    return { tools: encoded, choice: choice && { auto: {} }, instruction: null }
  const forces = target.quirks.noForcedTools ? null : maker.forces
  if (choice === 'required')
    return forces
      ? { tools: encoded, choice: { any: {} }, instruction: null }
      : { tools: encoded, choice: null, instruction: 'Answer only by calling one of the tools.' }
  if (forces === 'named')
    return { tools: encoded, choice: { tool: { name: choice.name } }, instruction: null }
  const instruction = `Answer only by calling the tool "${choice.name}".`
  return { tools: encoded, choice: forces && { any: {} }, instruction }
}

interface Format {
  format: JsonObject | null
  instruction: string | null
}

const ONLY_JSON = 'Answer with a single JSON object and nothing else: no text around it, no code fence.'

function encodeResponseFormat({ response_format: given }: KnownChatRequest, { schemas }: Maker): Format {
  if (!given || given.type === 'text') return { format: null, instruction: null }
  if (given.type !== 'json_schema') return { format: null, instruction: ONLY_JSON }
  const { schema, name, description } = given.json_schema
  if (!isObject(schema)) return { format: null, instruction: ONLY_JSON }
  if (!schemas)
    return {
      format: null,
      instruction: `${ONLY_JSON} It must follow this JSON Schema:\n${JSON.stringify(schema)}`,
    }
  const jsonSchema = {
    schema: JSON.stringify(narrowSchema(schema, OUTPUT_SCHEMA)),
    name,
    ...(typeof description === 'string' && { description }),
  }
  return { format: { type: 'json_schema', structure: { jsonSchema } }, instruction: null }
}

/** Whether the last turn has results of calls whose turn does not begin with reasoning. */
function isReasoningLost(messages: readonly Turn[]): boolean {
  const [calling, answering] = messages.slice(-2)
  if (calling?.role !== 'assistant' || !answering?.content.some((block) => 'toolResult' in block))
    return false
  return !('reasoningContent' in (calling.content[0] ?? {}))
}

interface Limits {
  maxTokens: number | null
  /** The choice of tools forces a call. */
  isForced: boolean
  isReasoningLost: boolean
}

/** The model's own fields for the reasoning. */
function encodeReasoning(request: KnownChatRequest, target: Target, limits: Limits): JsonObject {
  const { quirks, upstreamModel } = target
  const { maxTokens, isForced } = limits
  const effort = chat.readEffort(request, quirks)
  if (!isClaude(upstreamModel)) return encodeEffort(upstreamModel, effort, maxTokens !== null)
  // A forced call excludes thinking, and older models reject it without their earlier thinking.
  if (isForced || (limits.isReasoningLost && quirks.thinking === 'budget')) return {}
  return { ...encodeThinking(effort, target, maxTokens ?? Infinity) }
}

/** Whether these fields make the model reason, so that it rejects sampling. */
function excludesSampling({ thinking, reasoningConfig }: JsonObject): boolean {
  return isObject(reasoningConfig) || (isObject(thinking) && thinking.type !== 'disabled')
}

function encodeInference(
  request: KnownChatRequest,
  maxTokens: number | null,
  fields: JsonObject,
  model: string,
) {
  const { temperature, top_p: topP }: Partial<KnownChatRequest> = excludesSampling(fields) ? {} : request
  const isTempered = typeof temperature === 'number'
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    ...(maxTokens !== null && { maxTokens }),
    ...(isTempered && { temperature: Math.min(temperature, 1) }),
    // Claude rejects both.
    ...(typeof topP === 'number' && !(isTempered && isClaude(model)) && { topP }),
    ...(stop.length > 0 && { stopSequences: stop }),
  }
}

// Marks for the cache of prompts as Converse has them: a block of its own after what is cached. Source: AWS's user guide of
// Bedrock, "Prompt caching".

interface MarkedRequest {
  tools: readonly JsonObject[]
  system: readonly JsonObject[]
  messages: readonly Turn[]
}

/**
 * Replaces the marks of blocks by points after them, in the order in which the model reads them, as far as the maker accepts
 * points. A point for an hour after one for five minutes would be rejected, so it is one for five minutes.
 */
function placeCachePoints(
  { tools, system, messages }: MarkedRequest,
  { cachePoints }: Maker,
): { tools: JsonObject[]; system: JsonObject[]; messages: Turn[] } {
  let hasShort = false
  const place = (block: JsonObject): JsonObject[] => {
    const { cache_control: mark, ...plain } = block
    const isPlaced = cachePoints !== 'none' && (cachePoints !== 'texts' || 'text' in plain)
    if (!isObject(mark) || !isPlaced) return [plain]
    const isLong = mark.ttl === '1h' && cachePoints !== 'texts' && !hasShort
    hasShort ||= !isLong
    return [plain, { cachePoint: { type: 'default', ...(isLong && { ttl: '1h' }) } }]
  }
  return {
    tools: tools.flatMap(place),
    system: system.flatMap(place),
    messages: messages.map(({ role, content }) => ({ role, content: content.flatMap(place) })),
  }
}

/** The body of a call. Throws 400 for what Converse cannot express. */
function encodeBody(given: ChatRequest, target: Target): JsonObject {
  const { quirks, upstreamModel, cache } = target
  const reasons = chat.usesReasoning(given, quirks)
  const fitting = chat.omitFields(chat.knownRequest(given), quirks.dropFields)
  const request = reasons ? chat.omitFields(fitting, quirks.dropWhileReasoning) : fitting
  chat.refuseFields(request, UNSUPPORTED, 'This provider')
  const maker = findMaker(upstreamModel)
  const { system, messages, called } = encodeConversation(request.messages, target)
  const requested = limitOutput(outputLimit(request), target)
  const maxTokens = requested === null ? null : Math.min(requested, target.maxOutputTokens ?? requested)
  const { tools, choice, instruction } = encodeTools(request, called, { target, maker })
  const { format, instruction: formatInstruction } = encodeResponseFormat(request, maker)
  for (const text of [instruction, formatInstruction]) if (text !== null) system.push({ text })
  if (cache && maker.cachePoints !== 'given') markPrompt({ tools, system, messages }, cache.lifetime)
  const placed = placeCachePoints({ tools, system, messages }, maker)
  const fields = encodeReasoning(request, target, {
    maxTokens,
    isForced: choice !== null && !('auto' in choice),
    isReasoningLost: isReasoningLost(messages),
  })
  const inferenceConfig = encodeInference(request, maxTokens, fields, upstreamModel)
  return {
    messages: placed.messages,
    ...(placed.system.length > 0 && { system: placed.system }),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...(tools.length > 0 && { toolConfig: { tools: placed.tools, ...(choice && { toolChoice: choice }) } }),
    ...(Object.keys(fields).length > 0 && { additionalModelRequestFields: fields }),
    ...(format && { outputConfig: { textFormat: format } }),
  }
}

/** A call of a model by its id or its ARN. */
export function encodeConverse(request: ChatRequest, target: Target): EncodedRequest {
  const isStream = request.stream === true
  const path = `/model/${encodeURIComponent(target.upstreamModel)}/${isStream ? 'converse-stream' : 'converse'}`
  const accept = isStream ? { accept: 'application/vnd.amazon.eventstream' } : {}
  return encodeCall(path, JSON.stringify(encodeBody(request, target)), isStream, accept)
}
