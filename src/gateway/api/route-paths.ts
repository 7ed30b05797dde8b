import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '../../shared/operations/operation.ts'
import { type OperationId, operations } from '../../shared/operations.ts'

/** A path at which an operation is served. */
interface Route {
  id: OperationId
  operation: Operation
  method: Operation['method']
  /** The path in Fastify's syntax. Several routes can have the same. */
  fastifyPath: string
  pattern: RegExp
  /** What follows the id of a model: `:countTokens`. */
  action: string
  /** Of routes that match the same path, only requests with this header get this one. */
  header: string | null
}

export interface FoundOperation {
  id: OperationId
  operation: Operation
  /** What follows the id in the path. */
  action: string
}

/** `/v1/keys/{id}` in Fastify's syntax. `{id+}` becomes a wildcard, because model ids contain slashes. */
function toFastifyPath(path: string): string {
  return path.replace(/\{id\+\}.*$/, '*').replace('{id}', ':id')
}

/** The path in OpenAPI's syntax. */
export function openApiPath(path: string): string {
  return path.replace('{id+}', '{id}')
}

function createRoute(id: OperationId, operation: Operation, path: string): Route {
  return {
    id,
    operation,
    method: operation.method,
    fastifyPath: toFastifyPath(path),
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace('{id+}', '.+').replace('{id}', '[^/]+')}$`),
    action: path.split('{id+}')[1] ?? '',
    header: path === operation.path ? null : (operation.header ?? null),
  }
}

const OPERATION_IDS = Object.keys(operations).filter((id): id is OperationId => id in operations)

const routes: readonly Route[] = OPERATION_IDS.flatMap((id) => {
  const operation: Operation = operations[id]
  return [operation.path, ...(operation.otherPaths ?? [])].map((path) => createRoute(id, operation, path))
})

interface FastifyRoute extends Pick<Route, 'method' | 'fastifyPath'> {
  /** The routes with this method and path. */
  sharing: readonly Route[]
}

/** The methods and Fastify paths of all operations, each once. */
export const fastifyRoutes: readonly FastifyRoute[] = [
  ...Map.groupBy(routes, ({ method, fastifyPath }) => `${method} ${fastifyPath}`).values(),
].flatMap((sharing) =>
  sharing.slice(0, 1).map(({ method, fastifyPath }) => ({ method, fastifyPath, sharing })),
)

/** The operation at a path that Fastify has routed; null if there is none. */
export function findOperation(
  { sharing }: FastifyRoute,
  url: string,
  headers: IncomingHttpHeaders,
): FoundOperation | null {
  const path = pathOf(url)
  const matching = sharing.filter(({ pattern }) => pattern.test(path))
  return (
    matching.find(({ header }) => header !== null && headers[header] !== undefined) ??
    matching.find(({ header }) => header === null) ??
    null
  )
}

/** The methods allowed for the path of `url`; empty when the path does not exist. */
export function allowedMethods(url: string): string[] {
  const path = pathOf(url)
  if (path === '/openapi.json') return ['GET']
  return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}

/** A colon may be encoded. */
function pathOf(url: string): string {
  return (url.split('?', 1)[0] ?? '').replaceAll(/%3a/gi, ':')
}
