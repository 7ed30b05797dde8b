import type { z } from 'zod'
import { accountOperations } from '../shared/operations/account.ts'
import { gatewayOperations } from '../shared/operations/gateway.ts'
import { keysOperations } from '../shared/operations/keys.ts'
import { modelsOperations } from '../shared/operations/models.ts'
import { providersOperations } from '../shared/operations/providers.ts'
import { requestsOperations } from '../shared/operations/requests.ts'
import type { BodyInputOf, JsonOperationId, QueryInputOf, ResponseOf } from '../shared/operations.ts'
import { authHeaders } from './admin-key.ts'
import { errorFromResponse, toApiError } from './api-error.ts'

/** What the window calls. Those for models have large schemas, and `chat-stream.ts` calls the only one that it needs. */
const operations = {
  ...modelsOperations,
  ...keysOperations,
  ...requestsOperations,
  ...providersOperations,
  ...accountOperations,
  ...gatewayOperations,
}
type Operations = typeof operations
type WindowOperationId = JsonOperationId & keyof Operations
type ParamsArg<K extends WindowOperationId> = Operations[K]['path'] extends `${string}{${string}`
  ? { params: { id: string } }
  : { params?: undefined }
type BodyArg<K extends WindowOperationId> = [BodyInputOf<K>] extends [undefined]
  ? { body?: undefined }
  : { body: BodyInputOf<K> }
type QueryArg<K extends WindowOperationId> = [QueryInputOf<K>] extends [undefined]
  ? { query?: undefined }
  : { query?: QueryInputOf<K> }
type Args<K extends WindowOperationId> = ParamsArg<K> & BodyArg<K> & QueryArg<K> & { signal?: AbortSignal }
type Rest<K extends WindowOperationId> = Record<never, never> extends Args<K> ? [Args<K>?] : [Args<K>]

interface UntypedArgs {
  params?: { id: string } | undefined
  query?: unknown
  body?: unknown
  signal?: AbortSignal | undefined
}

/** The schemas of the table, typed so that an operation's schema parses to its own response. */
const responses: { readonly [K in WindowOperationId]: { response: z.ZodType<ResponseOf<K>> } } = operations

const listeners = new Set<() => void>()

/** Calls `listener` whenever the gateway rejects our key (401). Returns a function that removes it. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A path of the table with its `{id}` filled in; `{id+}` keeps the slashes of model ids. */
export function fillPath(path: string, id: string | undefined, query?: unknown): string {
  const filled = path.replace(/\{\w+(\+?)\}/, (_, slashes: string) => {
    if (id === undefined) throw new RangeError(`${path} needs an id`)
    return slashes ? id.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(id)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `${filled}?${search}` : filled
}

/** Fetches as the signed-in user. Throws ApiError unless the response is successful. */
export async function authorizedFetch(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...authHeaders(), ...Object.fromEntries(new Headers(init.headers)) }
  const response = await fetch(path, { ...init, headers }).catch((thrown: unknown) => {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown
    throw toApiError(thrown)
  })
  if (response.ok) return response
  if (response.status === 401) for (const listener of listeners) listener()
  throw await errorFromResponse(response)
}

/** Calls an operation of the table. Throws ApiError, or the AbortError of its own signal. */
export async function api<K extends WindowOperationId>(id: K, ...rest: Rest<K>): Promise<ResponseOf<K>> {
  const { params, query, body, signal }: UntypedArgs = rest[0] ?? {}
  const operation = operations[id]
  const response = await authorizedFetch(fillPath(operation.path, params?.id, query), {
    method: operation.method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    ...(signal === undefined ? {} : { signal }),
  })
  try {
    return responses[id].response.parse(await response.json())
  } catch (thrown) {
    if (signal?.aborted) throw thrown
    throw toApiError(thrown)
  }
}
