// How clients of this project call the operations: the window, and the command line.
import type { z } from 'zod'
import { accountOperations } from './operations/account.ts'
import { gatewayOperations } from './operations/gateway.ts'
import { integrationsOperations } from './operations/integrations.ts'
import { keysOperations } from './operations/keys.ts'
import { modelsOperations } from './operations/models.ts'
import { providersOperations } from './operations/providers.ts'
import { receiptsOperations } from './operations/receipts.ts'
import { reconciliationsOperations } from './operations/reconciliations.ts'
import { requestsOperations } from './operations/requests.ts'
import { sessionsOperations } from './operations/sessions.ts'
import { webhookOperations } from './operations/webhook.ts'
import type { BodyInputOf, JsonOperationId, QueryInputOf, ResponseOf } from './operations.ts'

/** All but those for models, which have large schemas. */
const operations = {
  ...modelsOperations,
  ...keysOperations,
  ...requestsOperations,
  ...sessionsOperations,
  ...receiptsOperations,
  ...reconciliationsOperations,
  ...providersOperations,
  ...accountOperations,
  ...webhookOperations,
  ...gatewayOperations,
  ...integrationsOperations,
}
type Operations = typeof operations
export type CalledOperationId = JsonOperationId & keyof Operations
type ParamsArg<K extends CalledOperationId> = Operations[K]['path'] extends `${string}{${string}`
  ? { params: { id: string } }
  : { params?: undefined }
type BodyArg<K extends CalledOperationId> = [BodyInputOf<K>] extends [undefined]
  ? { body?: undefined }
  : { body: BodyInputOf<K> }
type QueryArg<K extends CalledOperationId> = [QueryInputOf<K>] extends [undefined]
  ? { query?: undefined }
  : { query?: QueryInputOf<K> }
type Args<K extends CalledOperationId> = ParamsArg<K> & BodyArg<K> & QueryArg<K>
/** The arguments of a call after the operation's id, and `More` in the same object: none where nothing is required. */
export type CallArgs<K extends CalledOperationId, More> =
  Record<never, never> extends Args<K> & More ? [(Args<K> & More)?] : [Args<K> & More]

interface UntypedArgs {
  params?: { id: string } | undefined
  query?: unknown
  body?: unknown
}

/** The schemas of the table, typed so that an operation's schema parses to its own response. */
const responses: { readonly [K in CalledOperationId]: { response: z.ZodType<ResponseOf<K>> } } = operations

export interface OperationCall<K extends CalledOperationId> {
  method: string
  path: string
  /** JSON. */
  body: string | undefined
  response: z.ZodType<ResponseOf<K>>
}

export function describeCall<K extends CalledOperationId>(
  id: K,
  { params, query, body }: UntypedArgs = {},
): OperationCall<K> {
  const { method, path } = operations[id]
  return {
    method,
    path: fillPath(path, params?.id, query),
    body: body === undefined ? undefined : JSON.stringify(body),
    response: responses[id].response,
  }
}

/** A path of the table with its `{id}` filled in; `{id+}` keeps the slashes of model ids. */
export function fillPath(path: string, id: string | undefined, query?: unknown): string {
  const filled = path.replace(/\{\w+(\+?)\}/, (_, slashes: string) => {
    if (id === undefined) throw new RangeError(`${path} needs an id`)
    return slashes ? id.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(id)
  })
  const search = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
  return search.length > 0 ? `${filled}?${search.join('&')}` : filled
}
