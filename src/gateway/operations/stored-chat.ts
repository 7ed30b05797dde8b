// A stored request and its answer as a chat, whichever API format they have.

import type { ClientFormat, Operation } from '../../shared/api/operations/operation.ts'
import type { RequestBodies, RequestRecord, StoredChat } from '../../shared/api/requests.ts'
import { AnswerAssembler } from '../../shared/formats/answer-assembler.ts'
import { ResponseRequest } from '../../shared/formats/responses.ts'
import type { AnswerTarget, ClientCodec, DecodedRequest, FormatCodec } from '../formats/chat/codec-types.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { clientCodecs, getCodec } from '../formats/codecs.ts'
import { SseReader } from '../formats/framing/sse.ts'
import { isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import { parseStrictJson, validate } from '../http/json-body.ts'
import { findRoute } from '../http/routes.ts'
import { GatewayError, invalidRequest } from '../platform/errors.ts'
import type { GatewayServices } from './services.ts'
import { resolveRequest } from './stored-responses.ts'

/** Throws 404, with the code `bodies_not_kept` when only the request exists. */
export async function getRequestBodies(id: string, services: GatewayServices): Promise<RequestBodies> {
  const bodies = await services.records.bodies(id)
  const record = await services.records.get(id)
  try {
    const { format, request, unsupported } = await readStoredRequest(bodies.request ?? '', record, services)
    const model = request.model || (record.requestedModel ?? '')
    const complete = unsupported === null
    return {
      ...bodies,
      chat: { request: { ...request, model }, ...readAnswer(bodies.response, format), complete },
    }
  } catch (error) {
    if (error instanceof GatewayError) return { ...bodies, chat: null }
    throw error
  }
}

/** Where a stored request came from. */
type Origin = Pick<RequestRecord, 'endpoint' | 'keyId'>

/** Version 0.1 stored no endpoint, and served only this one. */
const FIRST_ENDPOINT = 'POST /v1/chat/completions'

interface StoredRequest extends DecodedRequest {
  format: ClientFormat
}

/** Throws 400 for a request that is no chat. */
async function readStoredRequest(
  text: string,
  origin: Origin,
  services: GatewayServices,
): Promise<StoredRequest> {
  const [method = '', path = ''] = (origin.endpoint ?? FIRST_ENDPOINT).split(' ')
  const route = findRoute(method, path, {})
  const { writes, format, body: schema }: Partial<Operation> = route?.operation ?? {}
  if (!writes || !format || !schema) throw invalidRequest(`This request was no chat: ${origin.endpoint}.`)
  const body = validate(schema, parseStrictJson(text), 'stored request')
  const codec: ClientCodec = clientCodecs[format]
  const decoded = codec.decodeRequest(await completeStored(Object(body), format, origin, services))
  return { ...decoded, format }
}

/** The format of the answers of an endpoint; null if they are no chats. */
export function findFormat(endpoint: string | null): ClientFormat | null {
  const [method = '', path = ''] = (endpoint ?? FIRST_ENDPOINT).split(' ')
  const route = findRoute(method, path, {})
  const { writes, format }: Partial<Operation> = route?.operation ?? {}
  return (writes && format) || null
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

/** An answer that was received is read without knowledge of the provider. */
const target: AnswerTarget = {
  quirks: {},
  upstreamModel: '',
  signatures: { remember: () => undefined, recall: () => null },
}
const identity = { id: '', created: 0, model: '' }

/** What the client got: JSON, Google's JSON array of events, or server-sent events that may have been cut anywhere. */
export function readAnswer(text: string | null, format: ClientFormat): Pick<StoredChat, 'answers' | 'error'> {
  const isOpenAi = format === 'openai-completions' || format === 'mistral-fim'
  const codec = getCodec(isOpenAi ? 'openai-chat' : format)
  const answer = new AnswerAssembler()
  const json = parseJson(text ?? '')
  const failure = isObject(json)
    ? addPlainAnswer(answer, json, codec)
    : addStream(
        answer,
        Array.isArray(json) ? json.map((event) => JSON.stringify(event)) : readSse(text ?? ''),
        codec,
      )
  return { answers: answer.list().map(toMessage), error: failure }
}

function readSse(text: string): string[] {
  const reader = new SseReader(Number.POSITIVE_INFINITY)
  const items = [...reader.read(Buffer.from(text)), ...reader.end()]
  return items.flatMap((item) => (item.type === 'event' ? [item.data] : []))
}

/** Returns the error, if there is one. */
function addPlainAnswer(answer: AnswerAssembler, json: JsonObject, codec: FormatCodec): string | null {
  const read = codec.plainAnswer(json, target, identity)
  if (read instanceof UpstreamFailure) return describeFailure(read)
  for (const { index, message } of read.completion.choices) answer.add(index, message)
  return null
}

function addStream(answer: AnswerAssembler, events: readonly string[], codec: FormatCodec): string | null {
  const parser = codec.streamParser(target, identity)
  for (const data of events) {
    for (const event of parser.event({ type: 'event', event: null, data })) {
      if (event.type === 'failed') return describeFailure(event.failure)
      addEvent(answer, event)
    }
  }
  for (const event of parser.end()) addEvent(answer, event)
  return null
}

function addEvent(answer: AnswerAssembler, event: ChatEvent): void {
  if (event.type !== 'chunk') return
  for (const { index, delta } of event.chunk.choices) answer.add(index, delta)
}

/** Null for an answer that was stored incompletely: the record of the request says why it ended. */
function describeFailure({ kind, message }: UpstreamFailure): string | null {
  return kind === 'malformed' ? null : message
}

type Choice = ReturnType<AnswerAssembler['list']>[number]

function toMessage({ content, reasoning, refusal, calls, lists }: Choice): StoredChat['answers'][number] {
  const toolCalls = calls.list().map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  return {
    role: 'assistant',
    content,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(refusal !== '' && { refusal }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
    ...lists,
  }
}
