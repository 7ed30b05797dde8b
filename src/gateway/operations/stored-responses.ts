// Responses that clients can refer to by their id. They are read from the stored prompts and answers, so there are some only
// while the user stores these, and they are deleted with them.

import { storesBodies } from '../../shared/api/terms.ts'
import { type InputItem, type ResponseObject, ResponseRequest } from '../../shared/formats/responses.ts'
import { SseReader } from '../formats/framing/sse.ts'
import { removeMember, setMember } from '../formats/json/edit-json.ts'
import { isObject, type JsonObject, parseJson } from '../formats/json/json.ts'
import type { RecentItems } from '../formats/openai-responses/client/codec.ts'
import { parseResponseId, responseId } from '../formats/openai-responses/client/response-object.ts'
import type { Clock } from '../platform/clock.ts'
import { invalidRequest, notFound } from '../platform/errors.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'

export interface StoredResponse {
  requestId: string
  /** As the client sent it. */
  request: ResponseRequest
  response: ResponseObject
}

interface StoredResponsesDeps {
  store: Pick<Store, 'read' | 'write'>
  settings: Settings
  clock: Clock
}

export class StoredResponses {
  readonly #deps: StoredResponsesDeps
  constructor(deps: StoredResponsesDeps) {
    this.#deps = deps
  }

  /** A response that this key received; null for one that is not stored, or not to be. */
  async find(id: string, keyId: string): Promise<StoredResponse | null> {
    const requestId = parseResponseId(id)
    if (requestId === null) return null
    const row = await this.#deps.store.read('getRequest', requestId)
    if (row?.keyId !== keyId) return null
    const bodies = await this.#deps.store.read('getBodies', requestId)
    const request = ResponseRequest.safeParse(parseJson(bodies?.request ?? ''))
    const response = readResponse(bodies?.response ?? '')
    if (!request.success || request.data.store === false || response?.id !== id) return null
    return { requestId, request: request.data, response }
  }

  /** Throws 404. */
  async get(id: string, keyId: string): Promise<StoredResponse> {
    const response = await this.find(id, keyId)
    if (response) return response
    const hint = storesBodies(this.#deps.settings.value, this.#deps.clock.now())
      ? 'Only responses to this key are found, and none that was requested with "store": false.'
      : 'Responses are stored only while "Store prompts and answers" is on in the Settings, or for this key.'
    throw notFound(`There is no stored response "${id}". ${hint}`, { code: 'response_not_found' })
  }

  /** Deletes the prompt and the answer. Throws 404. */
  async delete(id: string, keyId: string): Promise<void> {
    const { requestId } = await this.get(id, keyId)
    await this.#deps.store.write('deleteRequestBodies', requestId)
  }
}

/** The response in a stored answer, which may be a stream. */
function readResponse(text: string): ResponseObject | null {
  if (text.startsWith('{')) return asResponse(parseJson(text))
  const reader = new SseReader()
  const last = [...reader.read(Buffer.from(text)), ...reader.end()].findLast(({ type }) => type === 'event')
  const event = last?.type === 'event' ? parseJson(last.data) : null
  return isObject(event) ? asResponse(event.response) : null
}

function asResponse(value: unknown): ResponseObject | null {
  return isResponse(value) ? value : null
}

function isResponse(value: unknown): value is ResponseObject {
  return isObject(value) && value.object === 'response' && Array.isArray(value.output)
}

/** The items of a request's input, each with an id. */
export function inputItems({ requestId, request }: StoredResponse): JsonObject[] {
  const suffix = responseId(requestId).slice('resp_'.length)
  return listInput(request).map((item, at) => {
    const type = item.type ?? 'message'
    const named = { ...item, type, id: item.id ?? `item_${suffix}_${at}` }
    const { content } = item
    return typeof content === 'string' && item.role !== 'assistant'
      ? { status: 'completed', ...named, content: [{ type: 'input_text', text: content }] }
      : named
  })
}

function listInput({ input }: ResponseRequest): InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input ?? [])
}

// Replaces what a request refers to by id with the items themselves, as far as they are known here.

/** A conversation longer than this is refused. */
const MAX_TURNS = 1_000

interface Sources {
  responses: StoredResponses
  items: RecentItems
  keyId: string
}

/** Null if nothing could be replaced: the request goes on as it is. */
export async function resolveRequest(
  request: ResponseRequest,
  { responses, items, keyId }: Sources,
): Promise<ResponseRequest | null> {
  const history = await findHistory(request.previous_response_id ?? null, responses, keyId)
  const allInput = [...(history ?? []), ...listInput(request)]
  const input = allInput.map((item) => restore(item, items))
  if (history === null && input.every((item, at) => item === allInput[at])) return null
  const { previous_response_id: previous, ...rest } = request
  return { ...rest, input, ...(history === null && { previous_response_id: previous }) }
}

/** The whole item for a reference, and for reasoning that the client got without what was signed. */
function restore(item: InputItem, items: RecentItems): InputItem {
  const { type, id, role, encrypted_content: encrypted } = item
  if (typeof id !== 'string') return item
  const isReference = type === 'item_reference' || (!type && !role)
  const isBare = type === 'reasoning' && typeof encrypted !== 'string'
  return (isReference || isBare ? items.recall(id) : null) ?? item
}

/** The items of all earlier turns, oldest first; null if not all of them are stored here. */
async function findHistory(
  previous: string | null,
  responses: StoredResponses,
  keyId: string,
): Promise<InputItem[] | null> {
  if (previous === null) return null
  const turns: StoredResponse[] = []
  for (let id: string | null = previous; id !== null; ) {
    const turn: StoredResponse | null = await responses.find(id, keyId)
    if (!turn) return null
    if (turns.length === MAX_TURNS) throw tooLong()
    turns.push(turn)
    id = turn.request.previous_response_id ?? null
  }
  return turns.reverse().flatMap(({ request, response }) => [...listInput(request), ...response.output])
}

function tooLong(): Error {
  return invalidRequest(`The conversation has more than ${MAX_TURNS} turns. Begin a new one.`, {
    param: 'previous_response_id',
  })
}

/** The body for a provider of the same format, which knows none of what is stored here. */
export function resolvedBody(
  body: string,
  { input, previous_response_id: previous }: ResponseRequest,
): string {
  const json = setMember(body, ['input'], input)
  return previous === undefined ? removeMember(json, 'previous_response_id') : json
}
