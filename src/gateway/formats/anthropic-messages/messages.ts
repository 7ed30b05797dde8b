// Source: Anthropic's Messages API reference.
import type { Message, ToolCall } from '../../../shared/chat.ts'
import { refuseRequest } from '../chat/failure.ts'
import { textOf as allText, type Piece, readCalledFunction, readPieces } from '../chat/message-content.ts'
import { type ReasoningSignatures, readSignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, parseJson } from '../json/json.ts'
import { readThinkingBlock } from './blocks.ts'

interface AnthropicMessage {
  role: 'user' | 'assistant'
  content: JsonObject[]
}

export interface Conversation {
  system: string | JsonObject[] | null
  messages: AnthropicMessage[]
  /** The thinking before the tool calls of the last turn is unknown or was discarded. */
  thinkingLost: boolean
}

const IMAGE_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'image/jpeg': 'image/jpeg',
    'image/jpg': 'image/jpeg',
    'image/png': 'image/png',
    'image/gif': 'image/gif',
    'image/webp': 'image/webp',
  }),
)

/** Many clients add Anthropic's cache control to chat-completions content. It saves money, so it is forwarded. */
export function readCacheControl(given: JsonObject): { cache_control?: JsonObject } {
  const mark = given.cache_control
  if (!isObject(mark) || mark.type !== 'ephemeral') return {}
  const ttl = mark.ttl === '5m' || mark.ttl === '1h' ? { ttl: mark.ttl } : {}
  return { cache_control: { type: 'ephemeral', ...ttl } }
}

/** Replaces characters of other vendors' call ids that Anthropic's pattern (`^[a-zA-Z0-9_-]+$`) excludes. */
function sanitizeCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call'
}

function encodePiece(piece: Piece): JsonObject {
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
  return readPieces(content)
    .filter((piece) => piece.kind !== 'text' || piece.text.trim() !== '')
    .map(encodePiece)
}

function encodeToolResult(id: string, message: Message): JsonObject {
  const blocks = encodeBlocks(message.content)
  const plain = blocks.every((block) => block.type === 'text' && !block.cache_control)
  const content = plain ? allText(message.content) : blocks
  return {
    type: 'tool_result',
    tool_use_id: sanitizeCallId(id),
    ...(content.length > 0 && { content }),
    ...readCacheControl(message),
  }
}

function recallThinking(call: ToolCall, signatures: ReasoningSignatures): JsonObject[] {
  const blocks = parseJson(signatures.recall(call.id) ?? '')
  return Array.isArray(blocks) ? blocks.filter(isObject) : []
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
  const { name, args } = readCalledFunction(call)
  return { type: 'tool_use', id: sanitizeCallId(call.id), name, input: args, ...readCacheControl(call) }
}

function encodeAssistantBlocks(message: AssistantMessage, signatures: ReasoningSignatures): JsonObject[] {
  const text = encodeBlocks(message.content).filter((block) => block.type === 'text')
  const calls = message.tool_calls ?? []
  const own = readOwnThinking(message)
  if (own.size > 0)
    return [
      ...(own.get(undefined) ?? []),
      ...text,
      ...calls.flatMap((call) => [...(own.get(call.id) ?? []), encodeToolUse(call)]),
    ]
  // The order of a turn: thinking, text, tool calls.
  const [first = [], ...others] = calls.map((call) => [
    ...recallThinking(call, signatures),
    encodeToolUse(call),
  ])
  return [...first.slice(0, -1), ...text, ...first.slice(-1), ...others.flat()]
}

function readSystem(messages: readonly Message[]): Conversation['system'] {
  const blocks = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
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
export function encodeConversation(given: readonly Message[], signatures: ReasoningSignatures): Conversation {
  const messages: AnthropicMessage[] = []
  let system = readSystem(given)
  for (const message of given) {
    switch (message.role) {
      case 'system':
      case 'developer':
        break
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
