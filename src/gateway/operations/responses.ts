// The operations of OpenAI's Responses API.

import type { ResponseItems, ResponseItemsQuery, ResponseObject } from '../../shared/formats/responses.ts'
import type { ClientCodec } from '../formats/chat/codec-types.ts'
import type { JsonObject } from '../formats/json/json.ts'
import { createResponsesClient } from '../formats/openai-responses/client/codec.ts'
import type { Principal } from '../http/auth.ts'
import type { Call } from '../http/calls.ts'
import { invalidRequest } from '../platform/errors.ts'
import { findPlanSignIn } from '../upstream/authorization/plan-sign-in.ts'
import { findPayingKey, serveInference } from './inference.ts'
import type { GatewayServices } from './services.ts'
import { inputItems, resolvedBody, resolveRequest } from './stored-responses.ts'

/** References to what is known here are resolved first; `previous_response_id` stays in the response. */
export async function createResponse(call: Call<'createResponse'>, services: GatewayServices): Promise<void> {
  const { body, text } = call
  // A plan's own vendor knows what its client refers to.
  if (findPlanSignIn(call.headers, 'openai-responses'))
    return await serveInference(call, 'openai-responses', services)
  const { id: keyId } = await findPayingKey(call, services)
  const items = services.responseItems.scopeTo(keyId)
  const resolved = await resolveRequest(body, { responses: services.responses, items, keyId })
  const client = createResponsesClient((received) => {
    if (body.store !== false) items.remember(received)
  })
  const request = resolved ?? body
  const codec: ClientCodec = { ...client, decodeRequest: () => client.decodeRequest(request) }
  const { previous_response_id: previous } = body
  await serveInference(
    {
      ...call,
      body: previous === undefined ? request : { ...request, previous_response_id: previous },
      codec,
      ...(resolved && { nativeBody: resolvedBody(text, resolved) }),
    },
    'openai-responses',
    services,
  )
}

async function findKeyId(principal: Principal, { keys }: GatewayServices): Promise<string> {
  return principal.kind === 'owner' ? (await keys.playground()).id : principal.key.id
}

export async function getResponse(
  { id, query, principal }: Call<'getResponse'>,
  services: GatewayServices,
): Promise<ResponseObject> {
  if (query.stream === 'true')
    throw invalidRequest('A stored response cannot be streamed. Leave "stream" out.', { param: 'stream' })
  return (await services.responses.get(id, await findKeyId(principal, services))).response
}

export async function deleteResponse(
  { id, principal }: Call<'deleteResponse'>,
  services: GatewayServices,
): Promise<{ id: string; object: 'response'; deleted: true }> {
  await services.responses.delete(id, await findKeyId(principal, services))
  return { id, object: 'response', deleted: true }
}

export async function listResponseInputItems(
  { id, query, principal }: Call<'listResponseInputItems'>,
  services: GatewayServices,
): Promise<ResponseItems> {
  const stored = await services.responses.get(id, await findKeyId(principal, services))
  return toPage(inputItems(stored), query)
}

function toPage(items: readonly JsonObject[], { order, after, limit }: ResponseItemsQuery): ResponseItems {
  const sorted = order === 'asc' ? items : items.toReversed()
  const from = after === undefined ? 0 : sorted.findIndex((item) => item.id === after) + 1
  if (after !== undefined && from === 0)
    throw invalidRequest('"after" is not the id of an input item of this response.', { param: 'after' })
  const data = sorted.slice(from, from + limit)
  const getId = (item: JsonObject | undefined) => (item ? String(item.id) : null)
  const hasMore = sorted.length > from + limit
  return { object: 'list', data, first_id: getId(data[0]), last_id: getId(data.at(-1)), has_more: hasMore }
}
