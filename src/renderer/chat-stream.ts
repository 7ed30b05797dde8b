// Owns one streamed chat completion: what is sent, and how its chunks are read. Billed to the playground's own key.
// Knows nothing of conversations or of the screen.
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { z } from 'zod'
import { ChatUsage, type Message, type Tool } from '../shared/chat.ts'
import { ErrorEnvelope } from '../shared/errors.ts'
import { authorizedFetch } from './api.ts'
import { ApiError, toApiError } from './api-error.ts'

export interface ChatInput {
  model: string
  messages: Message[]
  temperature?: number
  maxTokens?: number
  tools?: Tool[]
  /** Further fields of the request, as they are. */
  extra?: Record<string, unknown>
}

export type ChatPart =
  | { type: 'started'; requestId: string | null; model: string | null }
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  /** A piece of a tool call; pieces with the same `index` belong together, in order. */
  | { type: 'tool'; index: number; id: string; name: string; arguments: string }
  | { type: 'model'; model: string }
  | { type: 'usage'; tokensIn: number; tokensOut: number; costUsd: number | null }
  | { type: 'finished'; reason: string | null }

const ToolCallPiece = z.looseObject({
  index: z.number(),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
})

const Chunk = z.looseObject({
  model: z.string().optional(),
  choices: z
    .array(
      z.looseObject({
        index: z.number().optional(),
        delta: z.looseObject({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          tool_calls: z.array(ToolCallPiece).nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: ChatUsage.nullish(),
})

/** An ask in the chat-completions format. */
export function toRequestBody(ask: ChatInput): Record<string, unknown> {
  return {
    model: ask.model,
    messages: ask.messages,
    ...(ask.temperature === undefined ? {} : { temperature: ask.temperature }),
    ...(ask.maxTokens === undefined ? {} : { max_tokens: ask.maxTokens }),
    ...(ask.tools === undefined ? {} : { tools: ask.tools }),
    ...ask.extra,
  }
}

/** Streams an answer; aborting `signal` ends it. Throws ApiError when it fails, also when it breaks off half-way. */
export async function* streamChat(ask: ChatInput, signal: AbortSignal): AsyncGenerator<ChatPart> {
  const response = await authorizedFetch('/v1/chat/completions', {
    method: 'POST',
    signal,
    headers: { 'content-type': 'application/json', 'x-tollgate-bill-to': 'playground' },
    body: JSON.stringify({ ...toRequestBody(ask), stream: true, stream_options: { include_usage: true } }),
  })
  const requestId = response.headers.get('x-service-request-id')
  yield { type: 'started', requestId, model: response.headers.get('x-service-model') }
  if (response.body) yield* readChatStream(response.body, requestId)
}

/** Reads a stream to its `[DONE]`. A chunk with `error`, or an end without `[DONE]`, throws ApiError. */
export async function* readChatStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  requestId: string | null,
): AsyncGenerator<ChatPart> {
  let reason: string | null = null
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of messages) {
    if (data === DONE) {
      yield { type: 'finished', reason }
      return
    }
    const chunk = readChunk(data, requestId)
    yield* chunk.parts
    reason = chunk.reason ?? reason
  }
  throw new ApiError({
    status: 200,
    type: 'upstream_error',
    message: 'The answer broke off before its end.',
    requestId: requestId ?? undefined,
  })
}

/** The data of the event that ends a stream. */
export const DONE = '[DONE]'

/** What one chunk of a stream says of the first choice. Throws ApiError when it says that the answer failed. */
export function readChunk(
  data: string,
  requestId: string | null,
): { parts: ChatPart[]; reason: string | null } {
  const json = parseChunk(data)
  const failure = ErrorEnvelope.safeParse(json)
  if (failure.success) {
    throw new ApiError({ status: 200, requestId: requestId ?? undefined, ...failure.data.error })
  }
  const { model, choices, usage } = Chunk.parse(json)
  const parts: ChatPart[] = model ? [{ type: 'model', model }] : []
  let reason: string | null = null
  for (const { index, delta, finish_reason } of choices) {
    if (index !== undefined && index !== 0) continue
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
    reason = finish_reason ?? reason
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
  return { parts, reason }
}

function parseChunk(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (thrown) {
    throw toApiError(thrown)
  }
}
