// Owns what the parts of one Gemini answer are in the chat-completions format, for plain answers and streams alike.
// Source: Google's Gemini API reference, `GenerateContentResponse`.
import type { ToolCall } from '../../shared/chat.ts'
import { isObject, type JsonObject, stringOr } from './json.ts'
import type { Recall } from './recall.ts'

export interface ReadParts {
  text: string
  reasoning: string
  calls: ToolCall[]
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** The first candidate of an answer: `n` choices are asked for one by one. Null when there is none. */
export function candidateIn(answer: JsonObject): JsonObject | null {
  const [first] = listOf(answer.candidates)
  return isObject(first) ? first : null
}

/** Why the prompt was refused, or null. */
export function blockReasonIn(answer: JsonObject): string | null {
  const feedback = isObject(answer.promptFeedback) ? answer.promptFeedback : {}
  return typeof feedback.blockReason === 'string' ? feedback.blockReason : null
}

/** The words of a refusal, for the `refusal` of a message. */
export function refusalFor(answer: JsonObject, reason: string): string {
  const feedback = isObject(answer.promptFeedback) ? answer.promptFeedback : {}
  return stringOr(feedback.blockReasonMessage, '') || `The prompt was blocked (${reason}).`
}

/** Reads parts in the order they come; calls are numbered through the whole answer. */
export class PartReader {
  readonly #signatures: Recall
  /** Ids for calls that come without one, at most 40 characters long, as OpenAI wants them of a tool call's id. */
  readonly #idPrefix: string
  #calls = 0

  constructor(signatures: Recall, answerId: string) {
    this.#signatures = signatures
    this.#idPrefix = `call_${answerId
      .replace(/^chatcmpl-/, '')
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 30)}`
  }

  get callCount(): number {
    return this.#calls
  }

  read(candidate: JsonObject): ReadParts {
    const read: ReadParts = { text: '', reasoning: '', calls: [] }
    const content = isObject(candidate.content) ? candidate.content : {}
    for (const part of listOf(content.parts)) {
      if (!isObject(part)) continue
      const text = stringOr(part.text, '')
      if (part.thought === true) read.reasoning += text
      else read.text += text
      if (isObject(part.functionCall)) read.calls.push(this.#call(part.functionCall, part.thoughtSignature))
    }
    return read
  }

  #call(called: JsonObject, signature: unknown): ToolCall {
    const position = this.#calls
    this.#calls += 1
    const id = stringOr(called.id, '') || `${this.#idPrefix}_${position}`
    const call: ToolCall = {
      id,
      type: 'function',
      function: { name: stringOr(called.name, ''), arguments: JSON.stringify(called.args ?? {}) },
    }
    if (typeof signature !== 'string' || signature === '') return call
    this.#signatures.remember(id, signature)
    // Where Google's own compatible endpoint puts it: clients that keep unknown fields carry it themselves.
    return { ...call, extra_content: { google: { thought_signature: signature } } }
  }
}
