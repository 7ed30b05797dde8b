// Sends a stored request to another model, and answers as a chat completion.

import type { ClientFormat, Operation } from '../../shared/api/operations/operation.ts'
import { operations } from '../../shared/api/operations.ts'
import type { ReplayRequest, RequestRecord } from '../../shared/api/requests.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import type { ClientCodec, DecodedRequest } from '../formats/chat/codec-types.ts'
import { clientCodecs } from '../formats/codecs.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { parseStrictJson, validate } from '../http/json-body.ts'
import { findRoute } from '../http/routes.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { RequestMode } from '../request/call.ts'
import { resolveRequest } from '../request/stored-responses.ts'
import { type ModelCall, serveDecoded, toNativeRequest } from './inference.ts'
import type { Call, GatewayServices } from './services.ts'

const { method, path } = operations.replayRequest

/** Tools are sent, and their calls returned, but nothing runs them. Throws 404 where the prompt is not stored. */
export async function replayRequest(call: Call<'replayRequest'>, services: GatewayServices): Promise<void> {
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
  const body = toReplay(chat.request, replay)
  const text = JSON.stringify(body)
  const sent: ModelCall = {
    ...call,
    body,
    text,
    bytes: Buffer.from(text),
    endpoint: `${method} ${path}`,
    ...(replay.key === undefined ? {} : { key: services.keys.require(replay.key) }),
  }
  // The converted form of another format may hold more than providers accept, such as signed reasoning.
  const mode: RequestMode = isChat
    ? { kind: 'native', native: toNativeRequest(sent, 'openai-chat', body) }
    : { kind: 'translated' }
  const codec = clientCodecs['openai-chat']
  const decoded = { request: body, untranslatable: null, externalContent, codec, mode }
  await serveDecoded(sent, decoded, services)
}

/** One answer, streamed or not, of the model. */
function toReplay(
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

/** Where a stored request came from. */
type Origin = Pick<RequestRecord, 'endpoint' | 'keyId'>

/** Version 0.1 stored no endpoint, and served only this one. */
const FIRST_ENDPOINT = 'POST /v1/chat/completions'

interface StoredChat extends DecodedRequest {
  /** Whether it came as a chat completion. */
  isChat: boolean
}

/** Throws 400 for a request that is no chat. */
async function readStoredChat(text: string, origin: Origin, services: GatewayServices): Promise<StoredChat> {
  const [method = '', path = ''] = (origin.endpoint ?? FIRST_ENDPOINT).split(' ')
  const route = findRoute(method, path, {})
  // A replay is stored as the chat request that was sent.
  const operation = route?.id === 'replayRequest' ? operations.createChatCompletion : route?.operation
  const { writes, format, body: schema }: Partial<Operation> = operation ?? {}
  if (!writes || !format || !schema) {
    throw invalidRequest(`Only chats can be replayed, and this request was ${origin.endpoint}.`, {
      code: 'not_replayable',
    })
  }
  const body = validate(schema, parseStrictJson(text), 'stored request')
  const codec: ClientCodec = clientCodecs[format]
  const decoded = codec.decodeRequest(await completeStored(Object(body), format, origin, services))
  return { ...decoded, isChat: operation === operations.createChatCompletion }
}

/** The stored body with what the request had elsewhere: in the path, or in stored responses. */
async function completeStored(
  body: JsonObject,
  format: ClientFormat,
  { keyId }: Origin,
  { responses, responseItems }: GatewayServices,
): Promise<JsonObject> {
  if (format === 'gemini-generate') return { ...body, model: '', stream: false, sse: false }
  if (format !== 'openai-responses') return body
  const request = ResponseRequest.parse(body)
  return (await resolveRequest(request, { responses, items: responseItems.scopeTo(keyId), keyId })) ?? request
}
