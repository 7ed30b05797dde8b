// Source: Anthropic's Messages API reference, version 2023-06-01. Only the fields named here are forwarded.

import {
  type ChatRequest,
  type KnownChatRequest,
  type Message,
  outputLimit,
  type ToolCall,
} from '../../../shared/formats/chat.ts'
import { splitWords } from '../../../shared/values/text.ts'
import { ASSUMED_MAX_OUTPUT, limitOutput, type Target } from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import * as chat from '../chat/message-content.ts'
import { type ReasoningSignatures, readSignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, listObjects, parseJson } from '../json/json.ts'
import { narrowSchema, type SchemaLimits } from '../json/narrow-schema.ts'
import { readThinkingBlock } from './answer.ts'
import { markPrompt } from './cache-marks.ts'

/** Anthropic's minimum thinking budget in tokens. */
const MIN_BUDGET_TOKENS = 1_024

/** The JSON Schema keywords that Anthropic's structured outputs support; objects must be closed. */
export const OUTPUT_SCHEMA: SchemaLimits = {
  keywords: splitWords(`
    $defs $ref additionalProperties allOf anyOf const default definitions description enum format items
    properties required title type`),
  closedObjects: true,
}

interface ThinkingFields {
  thinking?: JsonObject
  output_config?: { effort: chat.Effort }
}

function encodeBudget(effort: chat.Effort, maxTokens: number): ThinkingFields {
  const budget_tokens = Math.min(chat.THINKING_BUDGETS[effort], maxTokens - MIN_BUDGET_TOKENS)
  return budget_tokens < MIN_BUDGET_TOKENS ? {} : { thinking: { type: 'enabled', budget_tokens } }
}

/** Adaptive thinking with an effort, or a token budget for older models. */
export function encodeThinking(
  effort: chat.Effort | null,
  target: Target,
  maxTokens: number,
): ThinkingFields {
  const { thinking: style, efforts = chat.EFFORTS } = target.quirks
  if (effort === null) return {}
  if (style === 'budget') return effort === 'none' ? {} : encodeBudget(effort, maxTokens)
  if (effort === 'none' && efforts.includes('none')) return { thinking: { type: 'disabled' } }
  const [weakest = 'low', ...stronger] = efforts.filter((effort) => effort !== 'none' && effort !== 'minimal')
  return {
    // Newer models do not expose their thinking unless a summary is requested.
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: chat.nearestEffort(effort, [weakest, ...stronger]) },
  }
}

function encodeTool({ name, description, parameters, strict, given }: chat.FunctionTool): JsonObject {
  return {
    name,
    ...(description !== null && description !== '' && { description }),
    // Anthropic requires `type`; chat-completions clients often omit it.
    input_schema: { type: 'object', properties: {}, ...parameters },
    ...(strict && { strict }),
    ...readCacheControl(given),
  }
}

interface Tooling {
  tools: JsonObject[]
  /** Empty or a tool choice. */
  fields: JsonObject
  forced: boolean
  /** Replaces a forced choice for models that reject it. */
  instruction: string | null
}

function encodeTools(request: KnownChatRequest, target: Target): Tooling {
  const { tools, choice } = chat.readToolUse(request)
  if (tools.length === 0) return { tools: [], fields: {}, forced: false, instruction: null }
  const single = request.parallel_tool_calls === false ? { disable_parallel_tool_use: true } : {}
  // The cache is lost when tools change their places, as those of MCP servers do that connect in another order.
  const ordered = target.cache ? tools.toSorted((a, b) => (a.name < b.name ? -1 : 1)) : tools
  const base = { tools: ordered.map(encodeTool) }
  const named = typeof choice === 'object' && choice !== null ? choice.name : null
  const forced = named !== null || choice === 'required'
  if (forced && target.quirks.noForcedTools) {
    const what = named === null ? 'one of the tools' : `the tool "${named}"`
    return {
      ...base,
      fields: { tool_choice: { type: 'auto', ...single } },
      forced: false,
      instruction: `Answer only by calling ${what}.`,
    }
  }
  const toolChoice =
    choice === 'none'
      ? { type: 'none' }
      : named !== null
        ? { type: 'tool', name: named, ...single }
        : choice === 'required'
          ? { type: 'any', ...single }
          : { type: 'auto', ...single }
  const isExplicit = choice !== null || request.parallel_tool_calls === false
  return { ...base, fields: isExplicit ? { tool_choice: toolChoice } : {}, forced, instruction: null }
}

interface Format {
  format: JsonObject | null
  instruction: string | null
}

/** Anthropic has no mode for an arbitrary JSON object, so the model is instructed instead. */
function encodeResponseFormat({ response_format: responseFormat }: KnownChatRequest): Format {
  if (!responseFormat || responseFormat.type === 'text') return { format: null, instruction: null }
  const schema = responseFormat.type === 'json_schema' ? responseFormat.json_schema.schema : null
  if (isObject(schema))
    return {
      format: { type: 'json_schema', schema: narrowSchema(schema, OUTPUT_SCHEMA) },
      instruction: null,
    }
  return {
    format: null,
    instruction: 'Answer with a single JSON object and nothing else: no text around it, no code fence.',
  }
}

function encodeSampling(request: KnownChatRequest, isThinking: boolean): JsonObject {
  // Anthropic rejects both with thinking, and the combination of the two.
  if (isThinking) return {}
  const { temperature, top_p: topP } = request
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, 1) }
  return typeof topP === 'number' ? { top_p: topP } : {}
}

function appendInstructions(system: string | JsonObject[] | null, instructions: readonly string[]) {
  if (instructions.length === 0) return system
  const text = instructions.join('\n')
  if (Array.isArray(system)) return [...system, { type: 'text', text }]
  return system === null ? text : `${system}\n${text}`
}

const UNSUPPORTED: chat.UnsupportedFields = { ...chat.LEGACY_AND_AUDIO, web_search_options: () => false }

/** The body of `POST /messages`. Throws 400 for what Anthropic's format cannot express. */
export function encodeBody(chatRequest: ChatRequest, target: Target): JsonObject {
  const request = chat.omitFields(chat.knownRequest(chatRequest), target.quirks.dropFields)
  chat.refuseFields(request, UNSUPPORTED, 'This provider')
  const { messages, system, thinkingLost } = encodeConversation(request.messages, target.signatures)
  const requested = limitOutput(outputLimit(request), target) ?? Number.POSITIVE_INFINITY
  const maxTokens = Math.min(
    requested,
    target.maxOutputTokens ?? (requested === Number.POSITIVE_INFINITY ? ASSUMED_MAX_OUTPUT : requested),
  )
  const tooling = encodeTools(request, target)
  const { format, instruction } = encodeResponseFormat(request)
  const effort = chat.readEffort(request, target.quirks)
  // A forced call excludes thinking, and older models reject it without their earlier thinking. The effort is only a hint,
  // so it is dropped.
  const mayThink = !tooling.forced && !(thinkingLost && target.quirks.thinking === 'budget')
  const { thinking, output_config: outputConfig } = mayThink ? encodeThinking(effort, target, maxTokens) : {}
  const isThinking = thinking !== undefined && thinking.type !== 'disabled'
  const instructions = [tooling.instruction, instruction].filter((text) => text !== null)
  const { tools } = tooling
  let instructed = appendInstructions(system, instructions)
  if (target.cache) {
    instructed = typeof instructed === 'string' ? [{ type: 'text', text: instructed }] : instructed
    markPrompt({ tools, system: instructed ?? [], messages }, target.cache.lifetime)
  }
  const config = { ...outputConfig, ...(format && { format }) }
  const stop = typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])
  return {
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(instructed !== null && { system: instructed }),
    messages,
    ...(tools.length > 0 && { tools }),
    ...tooling.fields,
    ...(thinking && { thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...encodeSampling(request, isThinking),
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(request.user && { metadata: { user_id: request.user } }),
    ...(request.stream && { stream: true }),
  }
}

// Source: Anthropic's Messages API reference.

interface AnthropicMessage {
  role: 'user' | 'assistant'
  content: JsonObject[]
}

interface Conversation {
  system: string | JsonObject[] | null
  messages: AnthropicMessage[]
  /** The thinking before the tool calls of the last turn is unknown or was discarded. */
  thinkingLost: boolean
}

const IMAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'image/jpeg'],
  ['image/jpg', 'image/jpeg'],
  ['image/png', 'image/png'],
  ['image/gif', 'image/gif'],
  ['image/webp', 'image/webp'],
])

/** Many clients add Anthropic's cache control to chat-completions content. It saves money, so it is forwarded. */
export function readCacheControl(fields: JsonObject): { cache_control?: JsonObject } {
  const mark = fields.cache_control
  if (!isObject(mark) || mark.type !== 'ephemeral') return {}
  const ttl = mark.ttl === '5m' || mark.ttl === '1h' ? { ttl: mark.ttl } : {}
  return { cache_control: { type: 'ephemeral', ...ttl } }
}

/** Replaces characters of other vendors' call ids that Anthropic's pattern (`^[a-zA-Z0-9_-]+$`) excludes. */
export function sanitizeCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
}

function encodePiece(piece: chat.Piece): JsonObject {
  const mark = readCacheControl(piece.part)
  switch (piece.kind) {
    case 'text':
      return { type: 'text', text: piece.text, ...mark }
    case 'link':
      return { type: 'image', source: { type: 'url', url: piece.url }, ...mark }
    case 'inline': {
      const source = { type: 'base64', data: piece.base64 }
      const imageType = IMAGE_TYPES.get(piece.mediaType)
      if (imageType) return { type: 'image', source: { ...source, media_type: imageType }, ...mark }
      if (piece.mediaType === 'application/pdf')
        return { type: 'document', source: { ...source, media_type: piece.mediaType }, ...mark }
      throw refuseRequest(`This provider does not take content of the type "${piece.mediaType}".`, 'messages')
    }
  }
}

/** Anthropic rejects text that is only white space. */
function encodeBlocks(content: Message['content']): JsonObject[] {
  return chat
    .readPieces(content)
    .filter((piece) => piece.kind !== 'text' || piece.text.trim() !== '')
    .map(encodePiece)
}

function encodeToolResult(id: string, message: Message): JsonObject {
  const blocks = encodeBlocks(message.content)
  const isPlain = blocks.every((block) => block.type === 'text')
  const content = isPlain ? chat.joinTexts(message.content) : blocks
  // A mark moves on with the conversation, and must leave the same text behind: so the mark of a text is that of the result.
  const marked = isPlain ? blocks.findLast((block) => block.cache_control) : undefined
  return {
    type: 'tool_result',
    tool_use_id: sanitizeCallId(id),
    ...(content.length > 0 && { content }),
    ...readCacheControl({ ...marked, ...message }),
  }
}

function recallThinking(call: ToolCall, signatures: ReasoningSignatures): JsonObject[] {
  const blocks = parseJson(signatures.recall(call.id) ?? '')
  return listObjects(blocks)
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** The thinking that a client of another format sent back, by the tool call that it precedes. */
function readOwnThinking(message: AssistantMessage): Map<string | undefined, JsonObject[]> {
  const byCall = new Map<string | undefined, JsonObject[]>()
  for (const { format, data, call_id: callId } of readSignedReasoning(message)) {
    const block = format === 'anthropic-messages' ? readThinkingBlock(data) : null
    if (block) byCall.set(callId, [...(byCall.get(callId) ?? []), block])
  }
  return byCall
}

function encodeToolUse(call: ToolCall): JsonObject {
  const { name, args } = chat.readCalledFunction(call)
  return { type: 'tool_use', id: sanitizeCallId(call.id), name, input: args, ...readCacheControl(call) }
}

function encodeAssistantBlocks(message: AssistantMessage, signatures: ReasoningSignatures): JsonObject[] {
  const text = encodeBlocks(message.content).filter((block) => block.type === 'text')
  const calls = message.tool_calls ?? []
  const thinking = readOwnThinking(message)
  if (thinking.size > 0)
    return [
      ...(thinking.get(undefined) ?? []),
      ...text,
      ...calls.flatMap((call) => [...(thinking.get(call.id) ?? []), encodeToolUse(call)]),
    ]
  // The order of a turn: thinking, text, tool calls.
  const [first = [], ...others] = calls.map((call) => [
    ...recallThinking(call, signatures),
    encodeToolUse(call),
  ])
  return [...first.slice(0, -1), ...text, ...first.slice(-1), ...others.flat()]
}

function readSystem(instructions: readonly Message[]): Conversation['system'] {
  const blocks = instructions
    .flatMap(({ content }) => encodeBlocks(content))
    .filter((block) => block.type === 'text')
  if (blocks.length === 0) return null
  // Joined by a newline, as Anthropic's OpenAI-compatible endpoint does.
  return blocks.some((block) => block.cache_control) ? blocks : blocks.map(({ text }) => text).join('\n')
}

function appendBlocks(
  messages: AnthropicMessage[],
  role: AnthropicMessage['role'],
  content: JsonObject[],
): void {
  if (content.length === 0) return
  const last = messages.at(-1)
  // Not `push(...content)`: a call is limited to roughly a hundred thousand arguments.
  if (last?.role === role) for (const block of content) last.content.push(block)
  else messages.push({ role, content })
}

const isResult = (block: JsonObject): boolean => block.type === 'tool_result'

/** Whether the last turn has results of tool calls whose turn does not begin with thinking. */
function isThinkingLost(messages: readonly AnthropicMessage[]): boolean {
  const [calling, answering] = messages.slice(-2)
  if (calling?.role !== 'assistant' || !answering?.content.some(isResult)) return false
  const first = calling.content[0]?.type
  return first !== 'thinking' && first !== 'redacted_thinking'
}

/**
 * Anthropic's shape: the system text apart, successive turns of one role merged, and all results of parallel calls at the
 * start of one user turn. Throws 400 for what the format cannot express.
 */
function encodeConversation(history: readonly Message[], signatures: ReasoningSignatures): Conversation {
  const messages: AnthropicMessage[] = []
  const { instructions, conversation } = chat.separateInstructions(history, ({ content }) =>
    chat.joinTexts(content),
  )
  let system = readSystem(instructions)
  for (const message of conversation) {
    switch (message.role) {
      case 'user':
        appendBlocks(messages, 'user', encodeBlocks(message.content))
        break
      case 'tool':
        appendBlocks(messages, 'user', [encodeToolResult(message.tool_call_id, message)])
        break
      case 'assistant':
        appendBlocks(messages, 'assistant', encodeAssistantBlocks(message, signatures))
        break
      case 'function':
        throw refuseRequest('This provider has no messages of the role "function": use "tool".', 'messages')
    }
  }
  for (const message of messages) {
    message.content = [
      ...message.content.filter(isResult),
      ...message.content.filter((block) => !isResult(block)),
    ]
  }
  if (messages.length === 0 && system !== null) {
    // Anthropic requires a user message, so instructions alone are sent as one.
    appendBlocks(messages, 'user', typeof system === 'string' ? [{ type: 'text', text: system }] : system)
    system = null
  }
  return { system, messages, thinkingLost: isThinkingLost(messages) }
}
