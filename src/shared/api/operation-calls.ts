// How clients of this project call the operations: the window, and the command line. The window loads this file before it shows
// anything, so it imports no schemas (e2e/first-scripts.spec.ts).
import type { BodyInputOf, JsonOperationId, QueryInputOf } from './operations.ts'
import { routes } from './routes.ts'

type Routes = typeof routes
export type CalledOperationId = JsonOperationId & keyof Routes
type ParamsArg<K extends CalledOperationId> = Routes[K]['path'] extends `${string}{${string}`
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

export interface OperationCall {
  method: string
  path: string
  /** JSON. */
  body: string | undefined
}

export function describeCall(
  id: CalledOperationId,
  { params, query, body }: UntypedArgs = {},
): OperationCall {
  const { method, path } = routes[id]
  return {
    method,
    path: fillPath(path, params?.id, query),
    body: body === undefined ? undefined : JSON.stringify(body),
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
