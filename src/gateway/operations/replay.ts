// Sends a stored request to another model, and answers as a chat completion.

import type { z } from 'zod'
import { ChatRequest } from '../../shared/chat.ts'
import { GenerateContentRequest } from '../../shared/gemini.ts'
import { MessagesRequest } from '../../shared/messages.ts'
import { type OperationId, operations } from '../../shared/operations.ts'
import type { ReplayRequest } from '../../shared/replay.ts'
import type { RequestRecord } from '../../shared/requests.ts'
import { ResponseRequest } from '../../shared/responses.ts'
import { TextCompletionRequest } from '../../shared/text-completion.ts'
import type { ClientCodec, DecodedRequest } from '../formats/chat/codec-types.ts'
import { clientCodecs } from '../formats/codecs.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { parseStrictJson } from '../http/parse-json.ts'
import { findRoute } from '../http/route-paths.ts'
import { validate } from '../http/validate.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { RequestMode } from '../request/call.ts'
import { resolveRequest } from '../request/stored-responses.ts'
import { type ModelCall, nativeOf, serveDecoded } from './inference.ts'
import type { GatewayServices, StreamCall } from './services.ts'

const { method, path } = operations.replayRequest

/** Tools are sent, and their calls returned, but nothing runs them. Throws 404 where the prompt is not stored. */
export async function replayRequest(
  call: StreamCall<'replayRequest'>,
  services: GatewayServices,
): Promise<void> {
  const { id, body: replay } = call
  const { request: stored } = await services.records.bodies(id)
  const { endpoint, keyId } = await services.records.get(id)
  const chat = await readStoredChat(stored ?? '', { endpoint, keyId }, services)
  const { untranslatable, externalContent, isChat } = chat
  if (untranslatable) {
    throw invalidRequest(`This request cannot be replayed. ${untranslatable.message}`, {
      code: 'not_supported_by_provider',
    })
  }
  const body = replayedRequest(chat.request, replay)
  const text = JSON.stringify(body)
  const sent: ModelCall = {
    ...call,
    body,
    text,
    bytes: Buffer.from(text),
    endpoint: `${method} ${path}`,
    ...(replay.key === undefined ? {} : { key: services.keys.require(replay.key) }),
  }
  // What another format was converted to may hold more than providers accept, such as signed reasoning.
  const mode: RequestMode = isChat
    ? { kind: 'native', native: nativeOf(sent, 'openai-chat', body) }
    : { kind: 'translated' }
  const codec = clientCodecs['openai-chat']
  const decoded = { request: body, untranslatable: null, externalContent, codec, mode }
  await serveDecoded(sent, decoded, services)
}

/** One answer, streamed or not, of the model. */
function replayedRequest(
  { n: _n, stream: _stream, stream_options: _options, ...request }: ChatRequest,
  { model, stream, max_completion_tokens: limit }: ReplayRequest,
): ChatRequest {
  const { max_tokens: _older, ...withoutLimit } = request
  return {
    ...(limit === undefined ? request : { ...withoutLimit, max_completion_tokens: limit }),
    model,
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  }
}

// Reads the stored prompt of a request, in whichever API format it came, as a chat request.

/** What a stored request was, besides its text. */
type Origin = Pick<RequestRecord, 'endpoint' | 'keyId'>

type Reader = (
  json: unknown,
  origin: Origin,
  services: GatewayServices,
) => DecodedRequest | Promise<DecodedRequest>

/** The operations whose requests can be read. */
const READERS: Partial<Record<OperationId, Reader>> = {
  createChatCompletion: reader(ChatRequest, clientCodecs['openai-chat']),
  // A replay is stored as the chat request that was sent.
  replayRequest: reader(ChatRequest, clientCodecs['openai-chat']),
  createMessage: reader(MessagesRequest, clientCodecs['anthropic-messages']),
  createCompletion: reader(TextCompletionRequest, clientCodecs['openai-completions']),
  createFimCompletion: reader(TextCompletionRequest, clientCodecs['mistral-fim']),
  createResponse: readResponses,
  generateContent: readGemini,
  streamGenerateContent: readGemini,
}

/** Version 0.1 stored no endpoint, and served only this one. */
const FIRST_ENDPOINT = 'POST /v1/chat/completions'

interface StoredChat extends DecodedRequest {
  /** Whether it came as a chat completion. */
  isChat: boolean
}

/** Throws 400 for a request that is no chat. */
async function readStoredChat(text: string, origin: Origin, services: GatewayServices): Promise<StoredChat> {
  const [method = '', path = ''] = (origin.endpoint ?? FIRST_ENDPOINT).split(' ')
  const id = findRoute(method, path, {})?.id
  const read = id && READERS[id]
  if (!read) {
    throw invalidRequest(`Only chats can be replayed, and this request was ${origin.endpoint}.`, {
      code: 'not_replayable',
    })
  }
  const isChat = id === 'createChatCompletion' || id === 'replayRequest'
  return { ...(await read(parseStrictJson(text), origin, services)), isChat }
}

function reader<Body extends JsonObject>(schema: z.ZodType<Body>, codec: ClientCodec<Body>): Reader {
  return (json) => codec.decodeRequest(validate(schema, json, 'stored request'))
}

/** Earlier turns may be stored as well. */
async function readResponses(
  json: unknown,
  { keyId }: Origin,
  { responses, responseItems }: GatewayServices,
): Promise<DecodedRequest> {
  const body = validate(ResponseRequest, json, 'stored request')
  const resolved = await resolveRequest(body, { responses, items: responseItems.scopeTo(keyId), keyId })
  return clientCodecs['openai-responses'].decodeRequest(resolved ?? body)
}

function readGemini(json: unknown): DecodedRequest {
  const body = validate(GenerateContentRequest, json, 'stored request')
  return clientCodecs['gemini-generate'].decodeRequest({ ...body, model: '', stream: false, sse: false })
}
