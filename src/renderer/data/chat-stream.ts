import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Message } from '../../shared/formats/chat.ts'
import { ChatChunk } from '../../shared/formats/chat-completion.ts'
import { ApiError, isErrorEnvelope, toApiError } from '../kit/api-error.ts'
import { authorizedFetch } from './api.ts'

/** A request in the chat-completions format, with whatever fields the user has set. */
export interface ChatInput {
  model: string
  messages: Message[]
  [field: string]: unknown
}

export type ChatPart =
  | { type: 'started'; requestId: string | null; model: string | null }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A delta of a tool call; deltas with the same `index` belong to the same call. */
  | { type: 'tool'; index: number; id: string; name: string; arguments: string }
  | { type: 'model'; model: string }
  | { type: 'usage'; tokensIn: number; tokensOut: number; costUsd: number | null }
  | { type: 'finished' }

/**
 * Streams an answer, billed to the playground's key. Throws ApiError when the request fails or the stream ends early, and
 * the signal's AbortError.
 */
export async function* streamChat(input: ChatInput, signal: AbortSignal): AsyncGenerator<ChatPart> {
  const body = { ...input, stream: true, stream_options: { include_usage: true } }
  const response = await authorizedFetch('/v1/chat/completions', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', 'x-tollgate-bill-to': 'playground' },
    body: JSON.stringify(body),
  })
  const requestId = response.headers.get('x-service-request-id')
  yield { type: 'started', requestId, model: response.headers.get('x-service-model') }
  if (response.body) yield* readChatStream(response.body, requestId)
}

/** Reads a stream up to its `[DONE]`. Throws ApiError for a chunk with `error` and for an end without `[DONE]`. */
export async function* readChatStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  requestId: string | null,
): AsyncGenerator<ChatPart> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of messages) {
    if (data === DONE) {
      yield { type: 'finished' }
      return
    }
    yield* readChunk(data, requestId)
  }
  throw new ApiError({
    status: 200,
    type: 'upstream_error',
    message: 'The answer was interrupted.',
    requestId: requestId ?? undefined,
  })
}

/** The data of the event that ends a stream. */
const DONE = '[DONE]'

/** Reads the first choice of one chunk. Throws ApiError when the chunk is an error. */
function readChunk(data: string, requestId: string | null): ChatPart[] {
  const json = parseChunk(data)
  if (isErrorEnvelope(json)) {
    throw new ApiError({ status: 200, requestId: requestId ?? undefined, ...json.error })
  }
  const { model, choices, usage } = ChatChunk.parse(json)
  const parts: ChatPart[] = model ? [{ type: 'model', model }] : []
  for (const { index, delta } of choices) {
    if (index !== 0) continue
    if (delta.reasoning_content) parts.push({ type: 'reasoning', text: delta.reasoning_content })
    if (delta.content) parts.push({ type: 'text', text: delta.content })
    for (const { index, id, function: called } of delta.tool_calls ?? []) {
      parts.push({
        type: 'tool',
        index,
        id: id ?? '',
        name: called?.name ?? '',
        arguments: called?.arguments ?? '',
      })
    }
  }
  if (usage) {
    const { prompt_tokens, completion_tokens, cost } = usage
    parts.push({
      type: 'usage',
      tokensIn: prompt_tokens,
      tokensOut: completion_tokens,
      costUsd: cost ?? null,
    })
  }
  return parts
}

function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (thrown) {
    throw toApiError(thrown)
  }
}
