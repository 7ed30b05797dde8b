// Sends a stored request to another model, and answers as a chat completion.
import type { ChatRequest } from '../../shared/chat.ts'
import { operations } from '../../shared/operations.ts'
import type { ReplayRequest } from '../../shared/replay.ts'
import { clientCodecs } from '../formats/codecs.ts'
import { invalidRequest } from '../platform/errors.ts'
import type { RequestMode } from '../request/call.ts'
import { type ModelCall, nativeOf, serveDecoded } from './inference-handler.ts'
import type { StreamCall } from './operation-call.ts'
import type { GatewayServices } from './services.ts'
import { readStoredChat } from './stored-chats.ts'

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
