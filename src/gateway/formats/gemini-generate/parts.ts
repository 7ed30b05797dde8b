// The parts of an answer, for plain answers and streams. Source: Google's Gemini API reference,
// `GenerateContentResponse`.
import type { ToolCall } from '../../../shared/chat.ts'
import type { ReasoningSignatures, SignedReasoning } from '../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, stringOr } from '../json/json.ts'

export interface ReadParts {
  text: string
  reasoning: string
  calls: ToolCall[]
  /** Generated images in the shape of OpenRouter's answers: `images`. */
  images: JsonObject[]
  /** Parts without a counterpart in the clients' format, unchanged: `content_parts`. */
  others: JsonObject[]
  /** The signatures of texts and thoughts. Those of calls are in the calls. */
  signed: SignedReasoning[]
}

/** The fields of a message or a delta for what is neither text nor a call. */
export function toOtherFields({ images, others, signed }: ReadParts): JsonObject {
  return {
    ...(images.length > 0 && { images }),
    ...(others.length > 0 && { content_parts: others }),
    ...(signed.length > 0 && { signed_reasoning: signed }),
  }
}

function readImage({ inlineData: inline }: JsonObject): JsonObject | null {
  if (!isObject(inline) || typeof inline.data !== 'string' || typeof inline.mimeType !== 'string') return null
  if (!inline.mimeType.startsWith('image/')) return null
  return { type: 'image_url', image_url: { url: `data:${inline.mimeType};base64,${inline.data}` } }
}

/** The only candidate, because the gateway makes one call per choice. Null when there is none. */
export function readCandidate(answer: JsonObject): JsonObject | null {
  const [first] = asList(answer.candidates)
  return isObject(first) ? first : null
}

/** Why the prompt was blocked, or null. */
export function readBlockReason(answer: JsonObject): string | null {
  const feedback = asObject(answer.promptFeedback)
  return typeof feedback.blockReason === 'string' ? feedback.blockReason : null
}

/** The text for the `refusal` of a message. */
export function readRefusal(answer: JsonObject, reason: string): string {
  const feedback = asObject(answer.promptFeedback)
  return stringOr(feedback.blockReasonMessage, '') || `The prompt was blocked (${reason}).`
}

const KNOWN_MEMBERS: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

/** Reads parts in order and numbers tool calls across the whole answer. */
export class PartReader {
  readonly #signatures: ReasoningSignatures
  /** For calls without an id. OpenAI limits a tool call's id to 40 characters. */
  readonly #idPrefix: string
  #calls = 0

  constructor(signatures: ReasoningSignatures, answerId: string) {
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
    const read: ReadParts = { text: '', reasoning: '', calls: [], images: [], others: [], signed: [] }
    const content = asObject(candidate.content)
    for (const part of asList(content.parts)) {
      if (!isObject(part)) continue
      const text = stringOr(part.text, '')
      if (part.thought === true) read.reasoning += text
      else read.text += text
      const { functionCall: called, thoughtSignature: signature } = part
      if (isObject(called)) {
        read.calls.push(this.#call(called, signature))
        continue
      }
      if (typeof signature === 'string' && signature !== '')
        read.signed.push({ format: 'gemini-generate', data: { thoughtSignature: signature } })
      if (part.thought !== true) this.#readMedia(part, read)
    }
    return read
  }

  #readMedia(part: JsonObject, { images, others }: ReadParts): void {
    const image = readImage(part)
    if (image) images.push(image)
    else if (Object.keys(part).some((name) => !KNOWN_MEMBERS.has(name))) others.push(part)
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
    // The field of Google's OpenAI-compatible endpoint: clients that preserve unknown fields return it.
    return { ...call, extra_content: { google: { thought_signature: signature } } }
  }
}
