// Chat messages as input items. Source: OpenAI's API reference, "Create a response".
import type { ContentPart, Message, ToolCall } from '../../../shared/formats/chat.ts'
import type { Target } from '../chat/codec-types.ts'
import { refuseRequest } from '../chat/failure.ts'
import { readSignedReasoning } from '../chat/reasoning.ts'
import { asObject, isObject, type JsonObject } from '../json/json.ts'
import { FORMAT, isMessageMark, MESSAGE_MARK, readReasoningItem, recallItems } from './output-items.ts'

type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** OpenAI's limit. The last characters of a longer id are the ones that distinguish it. */
const MAX_CALL_ID = 64

const encodeCallId = (id: string): string => id.slice(-MAX_CALL_ID)

/** The name and input of a call of a custom tool; null for other calls. */
function readCustomCall({ custom }: ToolCall): { name: string; input: string } | null {
  if (!isObject(custom) || typeof custom.name !== 'string') return null
  return { name: custom.name, input: typeof custom.input === 'string' ? custom.input : '' }
}

function encodeCall(call: ToolCall): JsonObject {
  const call_id = encodeCallId(call.id)
  const custom = readCustomCall(call)
  if (custom) return { type: 'custom_tool_call', call_id, ...custom }
  if (!call.function) throw refuseRequest(`The tool call "${call.id}" names no function.`, 'messages')
  const { name, arguments: args } = call.function
  // Clients often store a call without arguments as an empty string.
  return { type: 'function_call', call_id, name, arguments: args.trim() === '' ? '{}' : args }
}

interface Reasoning {
  /** It precedes all other output of the message. */
  first: JsonObject[]
  /** The items before each call, in the order of the calls; a mark may stand for the text. */
  beforeCalls: JsonObject[][]
  /** Whether the text comes before all calls and their reasoning. */
  placesText: boolean
}

/** The reasoning of a message: what the client sent back, or else what is remembered of its calls. */
function readReasoning(message: AssistantMessage, { signatures, quirks }: Target): Reasoning {
  const ids = (message.tool_calls ?? []).map(({ id }) => id)
  if (quirks.thinking === 'none') return { first: [], beforeCalls: ids.map(() => []), placesText: false }
  const signed = readSignedReasoning(message).filter(({ format }) => format === FORMAT)
  if (signed.length === 0)
    return { first: [], beforeCalls: ids.map((id) => recallItems(id, signatures)), placesText: false }
  const read = (isWanted: (callId: string | undefined) => boolean) =>
    signed
      .filter(({ call_id: callId }) => isWanted(callId))
      .map(({ data }) => readReasoningItem(data))
      .filter((item) => item !== null)
  const isKnown = (callId: string | undefined) => callId !== undefined && ids.includes(callId)
  return {
    first: read((callId) => !isKnown(callId)),
    beforeCalls: ids.map((id) => read((callId) => callId === id)),
    placesText: true,
  }
}

/** The order of a turn: reasoning, text, and each call after the reasoning before it. */
function encodeAssistant(message: AssistantMessage, target: Target): JsonObject[] {
  const text = readAssistantText(message)
  const calls = (message.tool_calls ?? []).map(encodeCall)
  // Reasoning must be followed by its output.
  if (text === null && calls.length === 0) return []
  const items: JsonObject[] = []
  let hasText = false
  const addText = (mark: JsonObject): void => {
    if (text !== null && !hasText) items.push({ ...mark, role: 'assistant', content: text })
    hasText = true
  }
  const { first, beforeCalls, placesText } = readReasoning(message, target)
  items.push(...first)
  if (placesText) addText(MESSAGE_MARK)
  for (const [at, call] of calls.entries()) {
    for (const item of beforeCalls[at] ?? []) {
      if (!isMessageMark(item)) items.push(item)
      else if (text !== null) addText(item)
      // The client has left the text out, so its reasoning goes, too.
      else while (items.at(-1)?.type === 'reasoning') items.pop()
    }
    addText(MESSAGE_MARK)
    items.push(call)
  }
  addText(MESSAGE_MARK)
  return items
}

/** The ids of custom tools' calls, because their results have a type of their own. */
function readCustomIds(messages: readonly Message[]): Set<string> {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  )
  return new Set(calls.filter((call) => readCustomCall(call) !== null).map(({ id }) => id))
}

function encodeMessage(message: Message, customIds: ReadonlySet<string>, target: Target): JsonObject[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return [{ type: 'message', role: message.role, content: encodeContent(message.content) }]
    case 'assistant':
      return encodeAssistant(message, target)
    case 'tool': {
      const { tool_call_id: id, content } = message
      const type = customIds.has(id) ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: encodeCallId(id), output: encodeToolResult(content) }]
    }
    case 'function':
      throw refuseRequest('This provider has no messages of the role "function": use "tool".', 'messages')
  }
}

/** Throws 400 for what the format cannot express. */
export function encodeInput(messages: readonly Message[], target: Target): JsonObject[] {
  const customIds = readCustomIds(messages)
  return messages.flatMap((message) => encodeMessage(message, customIds, target))
}

// Content parts of input messages and tool results. Source: OpenAI's API reference, "Create a response".

/** OpenAI's marks for the prompt cache have the same form in both of its APIs. */
function readBreakpoint({ prompt_cache_breakpoint: mark }: JsonObject): JsonObject {
  return isObject(mark) ? { prompt_cache_breakpoint: mark } : {}
}

function encodeFile(part: JsonObject): JsonObject {
  const file = asObject(part.file)
  const names = ['file_data', 'file_id', 'file_url', 'filename']
  const fields = names.flatMap((name) => (typeof file[name] === 'string' ? [[name, file[name]]] : []))
  return { type: 'input_file', ...Object.fromEntries(fields), ...readBreakpoint(part) }
}

function encodePart(part: ContentPart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text, ...readBreakpoint(part) }
    case 'image_url': {
      const { url, detail } = part.image_url
      return { type: 'input_image', image_url: url, detail: detail ?? 'auto', ...readBreakpoint(part) }
    }
    case 'file':
      return encodeFile(part)
    case 'refusal':
      return { type: 'input_text', text: readRefusalPart(part) }
    case 'input_audio':
      throw refuseRequest('The Responses API takes no audio: use a model of another provider.', 'messages')
  }
}

function readRefusalPart({ refusal }: JsonObject): string {
  return typeof refusal === 'string' ? refusal : ''
}

/** The text, or the encoded parts. A single text has one form, whether a client has marked it for a cache or not. */
function encodeContent(content: Message['content']): string | JsonObject[] {
  if (typeof content === 'string') return content
  const [first, ...others] = content ?? []
  if (first?.type === 'text' && others.length === 0 && !isObject(first.prompt_cache_breakpoint))
    return first.text
  return (content ?? []).map(encodePart)
}

/** The text if there is nothing else, because some servers accept only texts as a tool's result. */
function encodeToolResult(content: Message['content']): string | JsonObject[] {
  const parts = encodeContent(content)
  if (typeof parts === 'string') return parts
  const texts = parts.flatMap(({ text, prompt_cache_breakpoint: mark }) =>
    typeof text === 'string' && mark === undefined ? [text] : [],
  )
  return texts.length === parts.length ? texts.join('\n') : parts
}

/** The text and refusals of an assistant message; null if it has none. */
function readAssistantText(message: Extract<Message, { role: 'assistant' }>): string | null {
  const { content, refusal } = message
  const parts = typeof content === 'string' ? [content] : (content ?? []).map(readAssistantPart)
  const text = parts.filter((part) => part !== '').join('\n')
  if (text !== '') return text
  return typeof refusal === 'string' && refusal !== '' ? refusal : null
}

function readAssistantPart(part: ContentPart): string {
  if (part.type === 'text') return part.text
  if (part.type === 'refusal') return readRefusalPart(part)
  throw refuseRequest('Assistant messages can have text only.', 'messages')
}
