// Output items of a plain answer as one chat message. Source: OpenAI's API reference (`output` of a response).
import type { ToolCall } from '../../../shared/chat.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { isObject, type JsonObject, stringOr } from '../json/json.ts'
import { readAnnotation } from './output-text.ts'
import { ReasoningOrder } from './reasoning-items.ts'

/** Between the texts of successive items, and between the parts of a summary. */
export const SEPARATOR = '\n\n'

const CALL_TYPES: ReadonlyMap<unknown, 'function' | 'custom'> = new Map([
  ['function_call', 'function'],
  ['custom_tool_call', 'custom'],
])

/** The type of the tool that the item calls; null if it is no call that the client answers. */
export function readCallType({ type }: JsonObject): 'function' | 'custom' | null {
  return CALL_TYPES.get(type) ?? null
}

/** A server that leaves the call's id out has at least the item's. */
export function readCallId({ call_id: callId, id }: JsonObject): string {
  return stringOr(callId, stringOr(id, ''))
}

/** The arguments of a function, or the input of a custom tool. */
export function readCallInput(item: JsonObject): string {
  return stringOr(item.type === 'custom_tool_call' ? item.input : item.arguments, '')
}

function joinTexts(parts: unknown, name: string, separator: string): string {
  const texts = (Array.isArray(parts) ? parts : []).flatMap((part) =>
    isObject(part) && typeof part[name] === 'string' ? [part[name]] : [],
  )
  return texts.join(separator)
}

/** The summary of a reasoning item; of servers that show their reasoning, the reasoning itself. */
export function readReasoningText({ summary, content }: JsonObject): string {
  return joinTexts(summary, 'text', SEPARATOR) || joinTexts(content, 'text', SEPARATOR)
}

export function readMessageText({ content }: JsonObject): string {
  return joinTexts(content, 'text', '')
}

export function readMessageRefusal({ content }: JsonObject): string {
  return joinTexts(content, 'refusal', '')
}

const partsOf = ({ content }: JsonObject): JsonObject[] =>
  Array.isArray(content) ? content.filter(isObject) : []

/** `offset`: the characters of the answer before the message. */
export function readMessageAnnotations(item: JsonObject, offset: number): JsonObject[] {
  let before = offset
  return partsOf(item).flatMap(({ text, annotations }) => {
    const start = before
    before += stringOr(text, '').length
    return (Array.isArray(annotations) ? annotations : []).flatMap((each) => readAnnotation(each, start))
  })
}

function readMessageLogprobs(item: JsonObject): unknown[] {
  return partsOf(item).flatMap(({ logprobs }) => (Array.isArray(logprobs) ? logprobs : []))
}

export interface ReadOutput {
  text: string
  refusal: string
  reasoning: string
  signed: SignedReasoning[]
  calls: ToolCall[]
  annotations: JsonObject[]
  logprobs: unknown[]
  /** Items without a counterpart in chat completions (searches, images), unchanged: `content_parts`. */
  others: JsonObject[]
}

function join(before: string, text: string): string {
  return before === '' || text === '' ? before + text : before + SEPARATOR + text
}

export function readOutput(items: readonly unknown[], signatures: ReasoningSignatures): ReadOutput {
  const order = new ReasoningOrder(signatures)
  const read: ReadOutput = {
    text: '',
    refusal: '',
    reasoning: '',
    signed: [],
    calls: [],
    annotations: [],
    logprobs: [],
    others: [],
  }
  for (const item of items) {
    if (!isObject(item)) continue
    const callType = readCallType(item)
    if (item.type === 'reasoning') {
      read.reasoning = join(read.reasoning, readReasoningText(item))
      read.signed.push(...order.reasoning(item))
    } else if (item.type === 'message') {
      read.signed.push(...order.message(item))
      const text = readMessageText(item)
      const offset = join(read.text, text).length - text.length
      read.text = join(read.text, text)
      read.refusal = join(read.refusal, readMessageRefusal(item))
      read.annotations.push(...readMessageAnnotations(item, offset))
      read.logprobs = read.logprobs.concat(readMessageLogprobs(item))
    } else if (callType) {
      const id = readCallId(item)
      read.signed.push(...order.call(id))
      read.calls.push(toToolCall(item, callType, id))
    } else read.others.push(item)
  }
  read.signed.push(...order.end())
  return read
}

function toToolCall(item: JsonObject, type: 'function' | 'custom', id: string): ToolCall {
  const name = stringOr(item.name, '')
  const input = readCallInput(item)
  return type === 'custom'
    ? { id, type, custom: { name, input } }
    : { id, type, function: { name, arguments: input } }
}
