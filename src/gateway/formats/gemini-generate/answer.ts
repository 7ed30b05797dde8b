// Parts, finish reasons and errors, for plain answers and streams. Source: Google's Gemini API reference,
// `GenerateContentResponse`.
import type { ToolCall } from '../../../shared/formats/chat.ts'
import { splitWords } from '../../../shared/values/text.ts'
import { type AnswerParts, createParts } from '../chat/answers.ts'
import {
  describeError,
  errorStatus,
  textError,
  type UpstreamErrorBody,
  UpstreamFailure,
} from '../chat/failure.ts'
import type { ReasoningSignatures } from '../chat/reasoning.ts'
import { asList, asObject, isObject, type JsonObject, parseJson, stringOr } from '../json/json.ts'

/** `signed`: the signatures of texts and thoughts; those of calls are in the calls. */
export interface GeminiParts extends AnswerParts {
  /** Generated images in the shape of OpenRouter's answers: `images`. */
  images: JsonObject[]
}

/** The fields of a message or a delta for what is neither text nor a call. */
export function toOtherFields({ images, others, signed }: GeminiParts): JsonObject {
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
  /** Begins the ids of calls that have none. OpenAI limits a tool call's id to 40 characters. */
  readonly #idPrefix: string
  callCount = 0

  constructor(signatures: ReasoningSignatures, answerId: string) {
    this.#signatures = signatures
    this.#idPrefix = `call_${answerId
      .replace(/^chatcmpl-/, '')
      .replace(/[^a-zA-Z0-9]/g, '')
      .slice(0, 30)}`
  }

  read(candidate: JsonObject): GeminiParts {
    const read: GeminiParts = { ...createParts(), images: [] }
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

  #readMedia(part: JsonObject, { images, others }: GeminiParts): void {
    const image = readImage(part)
    if (image) images.push(image)
    else if (Object.keys(part).some((name) => !KNOWN_MEMBERS.has(name))) others.push(part)
  }

  #call(called: JsonObject, signature: unknown): ToolCall {
    const position = this.callCount
    this.callCount += 1
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

// Sources: Google's API error model (`google.rpc.Status`) and the Gemini API reference, `FinishReason`.

/** Some endpoints wrap the error object in an array. */
export function errorIn(value: unknown): JsonObject | null {
  const outer = Array.isArray(value) ? value[0] : value
  return isObject(outer) && isObject(outer.error) ? outer.error : null
}

/** The text itself is the message when it does not have Google's shape (a proxy's error page). */
export function readGeminiError(text: string): UpstreamErrorBody {
  const error = errorIn(parseJson(text))
  if (!error) return textError(text)
  const status = typeof error.status === 'string' ? error.status : null
  return { message: stringOr(error.message, ''), code: status, param: null, type: status }
}

/** Reads an error object that was sent with status 200. */
export function toFailure(error: JsonObject): UpstreamFailure {
  return new UpstreamFailure({
    kind: 'status',
    status: errorStatus(error.code),
    code: typeof error.status === 'string' ? error.status : null,
    message: describeError(stringOr(error.message, '')),
  })
}

const FILTERED = splitWords(`
  SAFETY RECITATION LANGUAGE BLOCKLIST PROHIBITED_CONTENT SPII
  IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION IMAGE_OTHER NO_IMAGE`)
const FINISH_REASONS: ReadonlyMap<string, 'stop' | 'length' | 'content_filter' | 'failed'> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  // The model would continue if the client sent a token, but the chat-completions format has no field for it.
  ['CONTINUATION', 'length'],
  ...FILTERED.map((reason) => [reason, 'content_filter'] as const),
  ['MALFORMED_FUNCTION_CALL', 'failed'],
  ['MALFORMED_RESPONSE', 'failed'],
  ['TOO_MANY_TOOL_CALLS', 'failed'],
  ['UNEXPECTED_TOOL_CALL', 'failed'],
])

/** The finish reason in the clients' format, or a failure. */
export function toFinishReason(
  reason: string,
  message: unknown,
  hasCalls: boolean,
): string | UpstreamFailure {
  const finish = FINISH_REASONS.get(reason) ?? 'stop'
  if (finish === 'failed') {
    return new UpstreamFailure({
      kind: 'malformed',
      final: true,
      code: reason,
      message: `The model's answer was not usable (${reason}). ${stringOr(message, '')}`.trim(),
    })
  }
  return hasCalls && finish === 'stop' ? 'tool_calls' : finish
}
