// Output items of a plain answer as one chat message. Source: OpenAI's API reference (`output` of a response).
import type { ToolCall } from '../../../shared/formats/chat.ts'
import { type AnswerParts, createParts } from '../chat/answers.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { asList, isObject, type JsonObject, listObjects, parseJson, stringOr } from '../json/json.ts'

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
  const texts = asList(parts).flatMap((part) =>
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

/** `offset`: the characters of the answer before the message. */
export function readMessageAnnotations({ content }: JsonObject, offset: number): JsonObject[] {
  let length = offset
  return listObjects(content).flatMap(({ text, annotations }) => {
    const start = length
    length += stringOr(text, '').length
    return asList(annotations).flatMap((annotation) => readAnnotation(annotation, start))
  })
}

function readMessageLogprobs({ content }: JsonObject): unknown[] {
  return listObjects(content).flatMap(({ logprobs }) => asList(logprobs))
}

export interface ResponseParts extends AnswerParts {
  annotations: JsonObject[]
  logprobs: unknown[]
}

function join(head: string, text: string): string {
  return head === '' || text === '' ? head + text : head + SEPARATOR + text
}

export function readOutput(items: readonly unknown[], signatures: ReasoningSignatures): ResponseParts {
  const order = new ReasoningOrder(signatures)
  const read: ResponseParts = { ...createParts(), annotations: [], logprobs: [] }
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

// Reasoning items: OpenAI encrypts their content if it does not store the answer, and expects them back before the output
// that they belong to. Source: OpenAI's guide "Reasoning", encrypted reasoning items.

export const FORMAT = 'openai-responses'

/** Stands for the message's text among the items before a call. OpenAI's marks also have its `phase`, which it expects back. */
export const MESSAGE_MARK: JsonObject = { type: 'message' }

export function isMessageMark(item: JsonObject): boolean {
  return item.type === 'message'
}

/**
 * A reasoning item to send back. Null for one without content: OpenAI would look for it among the answers that it
 * stores, and reject the request.
 */
export function readReasoningItem(item: JsonObject): JsonObject | null {
  const { type, id, summary, content, encrypted_content: encrypted } = item
  if (type !== 'reasoning') return null
  const isEncrypted = typeof encrypted === 'string' && encrypted !== ''
  const hasContent = Array.isArray(content) && content.length > 0
  if (!isEncrypted && !hasContent) return null
  return {
    type,
    ...(typeof id === 'string' && { id }),
    summary: asList(summary),
    ...(hasContent && { content }),
    ...(isEncrypted && { encrypted_content: encrypted }),
  }
}

/** The reasoning items before a tool call, remembered for clients that do not send them back. */
export function recallItems(callId: string, signatures: ReasoningSignatures): JsonObject[] {
  const items = parseJson(signatures.recall(callId) ?? '')
  return listObjects(items)
}

/** Follows the order of an answer's output: which reasoning precedes which output. */
export class ReasoningOrder {
  readonly #signatures: ReasoningSignatures
  /** Reasoning and marks of messages since the last tool call. */
  #sinceCall: JsonObject[] = []
  /** Reasoning after other output, whose own output has not come yet. */
  #pending: JsonObject[] = []
  #hasOutput = false

  constructor(signatures: ReasoningSignatures) {
    this.#signatures = signatures
  }

  /** Each method returns the reasoning whose place is now known. */
  reasoning(item: JsonObject): SignedReasoning[] {
    const data = readReasoningItem(item)
    if (!data) return []
    this.#sinceCall.push(data)
    if (!this.#hasOutput) return [{ format: FORMAT, data }]
    this.#pending.push(data)
    return []
  }

  message({ phase }: JsonObject): SignedReasoning[] {
    this.#hasOutput = true
    this.#sinceCall.push({ ...MESSAGE_MARK, ...(typeof phase === 'string' && { phase }) })
    return this.end()
  }

  call(callId: string): SignedReasoning[] {
    this.#hasOutput = true
    const hasReasoning = this.#sinceCall.some((item) => !isMessageMark(item))
    if (hasReasoning) this.#signatures.remember(callId, JSON.stringify(this.#sinceCall))
    this.#sinceCall = []
    return this.#take().map((data) => ({ format: FORMAT, data, call_id: callId }))
  }

  end(): SignedReasoning[] {
    return this.#take().map((data) => ({ format: FORMAT, data }))
  }

  #take(): JsonObject[] {
    const pending = this.#pending
    this.#pending = []
    return pending
  }
}

// Annotations and log probabilities of output text, in the form of chat completions.

/**
 * A citation of a page nested by its type. Chat completions have no others, and the AI SDK rejects an answer with one.
 * `offset`: the characters before the text it refers to.
 */
export function readAnnotation(annotation: unknown, offset: number): JsonObject[] {
  if (!isObject(annotation)) return []
  const { type, ...fields } = annotation
  if (type !== 'url_citation') return []
  const shift = (value: unknown) => (typeof value === 'number' ? value + offset : value)
  const { start_index: start, end_index: end } = fields
  return [{ type, url_citation: { ...fields, start_index: shift(start), end_index: shift(end) } }]
}

/** Deltas leave `bytes` out, which chat completions have. */
function readLogprob(entry: unknown): JsonObject[] {
  if (!isObject(entry)) return []
  const top = asList(entry.top_logprobs)
  return [
    {
      ...entry,
      bytes: entry.bytes ?? null,
      top_logprobs: top.flatMap((candidate) =>
        isObject(candidate) ? [{ ...candidate, bytes: candidate.bytes ?? null }] : [],
      ),
    },
  ]
}

/** Null for none. */
export function readLogprobs(entries: unknown): JsonObject | null {
  if (!Array.isArray(entries) || entries.length === 0) return null
  return { content: entries.flatMap(readLogprob), refusal: null }
}
