// Sends a stored request to another model, and answers as a chat completion.

import { operations } from '../../shared/api/operations.ts'
import type { ReplayRequest } from '../../shared/api/requests.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { RequestMode } from '../request/call.ts'
import { type ModelCall, serveDecoded, toNativeRequest } from './inference.ts'
import type { Call, GatewayServices } from './services.ts'
import { readStoredRequest } from './stored-chat.ts'

const { method, path } = operations.replayRequest

/** Tools are sent, and their calls returned, but nothing runs them. Throws 404 where the prompt is not stored. */
export async function replayRequest(call: Call<'replayRequest'>, services: GatewayServices): Promise<void> {
  const { id, body: replay } = call
  const { request: stored } = await services.records.bodies(id)
  const { endpoint, keyId } = await services.records.get(id)
  const chat = await readStoredRequest(stored ?? '', { endpoint, keyId }, services)
  const { unsupported, isChat } = chat
  if (unsupported) {
    throw invalidRequest(`This request cannot be replayed. ${unsupported.message}`, {
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
  const decoded = { request: body, unsupported: null, codec, mode }
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
