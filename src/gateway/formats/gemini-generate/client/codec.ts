// Serves clients of Google's Gemini API. Source: the Gemini API reference, `generateContent` and `streamGenerateContent`.

import type { ErrorBody } from '../../../../shared/api/errors.ts'
import type { ChatRequest, ToolCall } from '../../../../shared/formats/chat.ts'
import type {
  ChatChunk,
  ChatCompletion,
  ChatUsage,
  ToolCallDelta,
} from '../../../../shared/formats/chat-completion.ts'
import type { GenerateContentRequest } from '../../../../shared/formats/gemini.ts'
import { getOrCreate } from '../../../platform/maps.ts'
import type { AnswerContext, ClientCodec, DecodedRequest, StreamWriter } from '../../chat/codec-types.ts'
import { UnsupportedFeatures } from '../../chat/failure.ts'
import { readCallSignature, readSignedReasoning, type SignedReasoning } from '../../chat/reasoning.ts'
import { readUsageDetails } from '../../chat/usage.ts'
import { isObject, type JsonObject, parseJson } from '../../json/json.ts'
import { decodeContents, readInstruction, toThoughtSignature } from './contents.ts'
import { decodeGenerationConfig, decodeTools } from './options.ts'

// Parts, usage, ends and errors of answers, plain and streamed. Source: the Gemini API reference, `GenerateContentResponse`.

/** Whether the client wants summaries of thoughts, which Google sends only then. */
function wantsThoughts({ generationConfig: config }: JsonObject): boolean {
  const thinking = isObject(config) ? config.thinkingConfig : null
  return isObject(thinking) && thinking.includeThoughts === true
}

/** The parts of a message or a delta, except for its calls. */
function outputParts(delta: Readonly<Record<string, unknown>>, thoughts: boolean): JsonObject[] {
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

interface CallParts {
  parts: JsonObject[]
  /** Whether the model wrote arguments that are not a JSON object, which this format cannot express. */
  malformed: boolean
}

/**
 * The calls with the signed reasoning of the answer. A call carries what precedes it, the first one also what precedes all
 * output; without a call an empty text does, as in Google's streams.
 */
function callParts(calls: readonly ToolCall[], signed: readonly SignedReasoning[]): CallParts {
  const parts: JsonObject[] = []
  let malformed = false
  for (const [at, call] of calls.entries()) {
    const { name, arguments: text } = call.function ?? { name: '', arguments: '' }
    const args = text.trim() === '' ? {} : parseJson(text)
    if (!isObject(args) || name === '') {
      malformed = true
      continue
    }
    const entries = signed.filter(({ call_id: id }) => (id === undefined ? at === 0 : id === call.id))
    const signature = entries.length > 0 ? toThoughtSignature(entries) : readCallSignature(call)
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
function candidateEnd(finish: string | null, malformed: boolean): JsonObject {
  if (!malformed) return { finishReason: FINISH_REASONS.get(finish ?? 'stop') ?? 'OTHER' }
  return {
    finishReason: 'MALFORMED_FUNCTION_CALL',
    finishMessage: 'The model called a function with arguments that are not a JSON object.',
  }
}

/** Google's prompt count includes cached tokens; the candidates' count excludes thoughts. */
function usageMetadata(usage: ChatUsage): JsonObject {
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
function geminiErrorBody({ message, type, code, param }: ErrorBody, status: number): JsonObject {
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

// Chat chunks as a stream of the Gemini API.

/** Kept until the end of a candidate: calls, which this format sends complete, and the reasoning that belongs to them. */
interface PendingChoice {
  calls: Map<number, ToolCall>
  signed: SignedReasoning[]
  finish: string | null
}

function addCallDelta(calls: Map<number, ToolCall>, { index, id, function: called, ...rest }: ToolCallDelta) {
  const previousCall = calls.get(index)
  const { name, arguments: args } = previousCall?.function ?? { name: '', arguments: '' }
  calls.set(index, {
    ...previousCall,
    ...rest,
    id: previousCall?.id || (id ?? ''),
    function: { name: name || (called?.name ?? ''), arguments: args + (called?.arguments ?? '') },
  })
}

/** Writes text when it arrives. The last chunk has the calls, the finish reasons and the usage. */
class GeminiStreamWriter implements StreamWriter {
  readonly #identity: JsonObject
  readonly #thoughts: boolean
  readonly #framing: Framing
  readonly #pending = new Map<number, PendingChoice>()

  constructor({ requestId, model, body }: AnswerContext, framing: Framing) {
    this.#identity = { modelVersion: model, responseId: requestId }
    this.#thoughts = wantsThoughts(body)
    this.#framing = framing
  }

  get mediaType(): string {
    return this.#framing.mediaType
  }

  get keepAlive(): string {
    return this.#framing.keepAlive
  }

  nativeEvent(data: string): string {
    return this.#framing.element(data)
  }

  nativeEnd(): string {
    return this.#framing.end()
  }

  chunk({ choices }: ChatChunk): string {
    const candidates: JsonObject[] = []
    for (const { index, delta, finish_reason: finish } of choices) {
      const pending = this.#getPending(index)
      for (const call of delta.tool_calls ?? []) addCallDelta(pending.calls, call)
      pending.signed.push(...readSignedReasoning(delta))
      pending.finish = finish ?? pending.finish
      const parts = outputParts(delta, this.#thoughts)
      if (parts.length > 0) candidates.push({ content: { parts, role: 'model' }, index })
    }
    return candidates.length === 0 ? '' : this.#write({ candidates })
  }

  end(usage: ChatUsage): string {
    const candidates = [...this.#pending]
      .toSorted(([a], [b]) => a - b)
      .map(([index, pending]) => {
        const { parts, malformed } = callParts([...pending.calls.values()], pending.signed)
        // Google's SDK rejects an answer that has a chunk without parts.
        const content = { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' }
        return { content, ...candidateEnd(pending.finish, malformed), index }
      })
    return this.#write({ candidates, usageMetadata: usageMetadata(usage) }) + this.#framing.end()
  }

  fail(error: ErrorBody, status: number): string {
    return this.#framing.element(JSON.stringify(geminiErrorBody(error, status))) + this.#framing.end()
  }

  #write(members: JsonObject): string {
    return this.#framing.element(JSON.stringify({ ...members, ...this.#identity }))
  }

  #getPending(index: number): PendingChoice {
    return getOrCreate(this.#pending, index, () => ({ calls: new Map(), signed: [], finish: null }))
  }
}

// Google streams server-sent events for `alt=sse`, and otherwise one JSON array, written element by element.

interface Framing {
  mediaType: string
  /** Text that keeps a silent connection open. */
  keepAlive: string
  element(json: string): string
  end(): string
}

function sseFraming(): Framing {
  return {
    mediaType: 'text/event-stream; charset=utf-8',
    keepAlive: ': keep-alive\n\n',
    element: (json) =>
      `${json
        .split('\n')
        .map((line) => `data: ${line}\n`)
        .join('')}\n`,
    end: () => '',
  }
}

function arrayFraming(): Framing {
  let isOpen = false
  return {
    mediaType: 'application/json; charset=utf-8',
    keepAlive: '\n',
    element(json) {
      const separator = isOpen ? ',\n' : '['
      isOpen = true
      return separator + json
    },
    end: () => (isOpen ? '\n]\n' : '[]\n'),
  }
}

/** The body with what this API has in the URL. */
export interface GeminiRequest extends GenerateContentRequest {
  model: string
  stream: boolean
  /** Whether a stream is one of server-sent events. */
  sse: boolean
}

function decodeRequest(body: GeminiRequest): DecodedRequest {
  const only = new UnsupportedFeatures(
    (what) => `${what} Choose a model of a provider that has Google's API format, or remove it.`,
  )
  const instruction = body.systemInstruction ? readInstruction(body.systemInstruction) : ''
  const messages: ChatRequest['messages'] = [
    ...(instruction === '' ? [] : [{ role: 'system' as const, content: instruction }]),
    ...decodeContents(body.contents, only),
  ]
  if (body.cachedContent) only.add("Only Google can read content in Google's cache.", 'cachedContent')
  const request: ChatRequest = {
    model: body.model,
    messages,
    stream: body.stream,
    ...decodeTools(body, only),
    ...decodeGenerationConfig(body.generationConfig ?? {}, only),
  }
  return { request, unsupported: only.failure }
}

function answerBody(
  { choices }: ChatCompletion,
  usage: ChatUsage,
  { requestId, model, body }: AnswerContext,
): JsonObject {
  const thoughts = wantsThoughts(body)
  const candidates = choices.map(({ index, message, finish_reason: finish }) => {
    const { parts: calls, malformed } = callParts(message.tool_calls ?? [], readSignedReasoning(message))
    const parts = [...outputParts(message, thoughts), ...calls]
    return {
      content: { parts: parts.length > 0 ? parts : [{ text: '' }], role: 'model' },
      ...candidateEnd(finish, malformed),
      index,
    }
  })
  return { candidates, usageMetadata: usageMetadata(usage), modelVersion: model, responseId: requestId }
}

export const geminiClient: ClientCodec<GeminiRequest> = {
  decodeRequest,
  answerBody,
  streamWriter: (context) =>
    new GeminiStreamWriter(context, context.body.sse === true ? sseFraming() : arrayFraming()),
  errorBody: (error, status) => geminiErrorBody(error, status),
}
