// Parts, usage, ends and errors of answers, plain and streamed. Source: the Gemini API reference, `GenerateContentResponse`.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ToolCall } from '../../../../shared/formats/chat.ts'
import type { ChatUsage } from '../../../../shared/formats/chat-completion.ts'
import {
  decodeSignedReasoning,
  encodeSignedReasoning,
  readCallSignature,
  type SignedReasoning,
} from '../../chat/reasoning.ts'
import { readUsageDetails } from '../../chat/usage.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'

/** Whether the client wants summaries of thoughts, which Google sends only then. */
export function wantsThoughts({ generationConfig: config }: JsonObject): boolean {
  const thinking = isObject(config) ? config.thinkingConfig : null
  return isObject(thinking) && thinking.includeThoughts === true
}

/** The parts of a message or a delta, except for its calls. */
export function outputParts(delta: Readonly<Record<string, unknown>>, thoughts: boolean): JsonObject[] {
  const { reasoning_content: reasoning, content, refusal, images, content_parts: others } = delta
  return [
    ...(thoughts && typeof reasoning === 'string' && reasoning !== ''
      ? [{ text: reasoning, thought: true }]
      : []),
    ...[content, refusal].filter((text) => typeof text === 'string' && text !== '').map((text) => ({ text })),
    ...(Array.isArray(images) ? images.map(imagePart).filter((part) => part !== null) : []),
    // Parts of this format without a counterpart. Those of other formats have a type, and clients could not read them.
    ...(Array.isArray(others) ? others.filter((part) => isObject(part) && !('type' in part)) : []),
  ]
}

function imagePart(image: unknown): JsonObject | null {
  const link = isObject(image) && isObject(image.image_url) ? image.image_url.url : null
  if (typeof link !== 'string') return null
  const inline = /^data:([^;,]+);base64,(.*)$/s.exec(link)
  return inline ? { inlineData: { mimeType: inline[1], data: inline[2] } } : { fileData: { fileUri: link } }
}

export interface CallParts {
  parts: JsonObject[]
  /** Whether the model wrote arguments that are not a JSON object, which this format cannot express. */
  malformed: boolean
}

/**
 * The calls with the signed reasoning of the answer. A call carries what precedes it, the first one also what precedes all
 * output; without a call an empty text does, as in Google's streams.
 */
export function callParts(calls: readonly ToolCall[], signed: readonly SignedReasoning[]): CallParts {
  const parts: JsonObject[] = []
  let malformed = false
  for (const [at, call] of calls.entries()) {
    const { name, arguments: text } = call.function ?? { name: '', arguments: '' }
    const args = text.trim() === '' ? {} : parseJson(text)
    if (!isObject(args) || name === '') {
      malformed = true
      continue
    }
    const own = signed.filter(({ call_id: id }) => (id === undefined ? at === 0 : id === call.id))
    const signature = own.length > 0 ? toThoughtSignature(own) : readCallSignature(call)
    parts.push({
      functionCall: { id: call.id, name, args },
      ...(signature !== null && { thoughtSignature: signature }),
    })
  }
  const unplaced = calls.length === 0 ? signed : []
  if (unplaced.length > 0) parts.push({ text: '', thoughtSignature: toThoughtSignature(unplaced) })
  return { parts, malformed }
}

const FINISH_REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'STOP'],
  ['tool_calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
])

/** The members of a candidate that mark its end. */
export function candidateEnd(finish: string | null, malformed: boolean): JsonObject {
  if (!malformed) return { finishReason: FINISH_REASONS.get(finish ?? 'stop') ?? 'OTHER' }
  return {
    finishReason: 'MALFORMED_FUNCTION_CALL',
    finishMessage: 'The model called a function with arguments that are not a JSON object.',
  }
}

/** Google's prompt count includes cached tokens; the candidates' count excludes thoughts. */
export function usageMetadata(usage: ChatUsage): JsonObject {
  const { cached, reasoning } = readUsageDetails(usage)
  const thoughts = Math.min(reasoning, usage.completion_tokens)
  return {
    promptTokenCount: usage.prompt_tokens,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    candidatesTokenCount: usage.completion_tokens - thoughts,
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    totalTokenCount: usage.total_tokens,
    ...(usage.cost !== undefined && { cost: usage.cost }),
  }
}

// Google's clients send `thoughtSignature` back unchanged, and read it as base64.

/** The `thoughtSignature` that carries signed reasoning. Google's own is sent unchanged. */
export function toThoughtSignature(reasoning: readonly SignedReasoning[]): string {
  const [first] = reasoning
  const own = first?.format === 'gemini-generate' ? first.data.thoughtSignature : undefined
  if (typeof own === 'string') return own
  return Buffer.from(reasoning.map(encodeSignedReasoning).join('\n')).toString('base64')
}

/** The signed reasoning in a `thoughtSignature` of this gateway; null in one of Google's. */
export function readThoughtSignature(signature: string): SignedReasoning[] | null {
  const texts = Buffer.from(signature, 'base64').toString('utf8').split('\n')
  const reasoning = texts.map(decodeSignedReasoning).filter((entry) => entry !== null)
  return reasoning.length > 0 ? reasoning : null
}

// Sources: Google's API error model (`google.rpc.Status`, `google.rpc.Code`, error details) and the Gemini API's error codes.

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  // Google has no code for payment. With this one its clients do not try again.
  402: 'FAILED_PRECONDITION',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  431: 'INVALID_ARGUMENT',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** The JSON of an error. The details name our own type and code, and the field. */
export function geminiErrorBody({ message, type, code, param }: ErrorBody, status: number): JsonObject {
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: (code ?? type).toUpperCase(),
    domain: 'tollgate',
  }
  const violation = param !== undefined && {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [{ field: param, description: message }],
  }
  return {
    error: {
      code: status,
      message,
      status: CODES[status] ?? 'UNKNOWN',
      details: violation ? [info, violation] : [info],
    },
  }
}
