// Replaces what a request refers to by id with the items themselves, as far as they are known here.
import type { InputItem, ResponseRequest } from '../../shared/responses.ts'
import { removeMember, setMember } from '../formats/edit-json.ts'
import type { RecentItems } from '../formats/openai-responses/client/recent-items.ts'
import { invalidRequest } from '../platform/errors.ts'
import { inputOf, type StoredResponse, type StoredResponses } from './stored-responses.ts'

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
  const given = [...(history ?? []), ...inputOf(request)]
  const input = given.map((item) => restore(item, items))
  if (history === null && input.every((item, at) => item === given[at])) return null
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
  return turns.reverse().flatMap(({ request, response }) => [...inputOf(request), ...response.output])
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
