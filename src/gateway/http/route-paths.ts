import type { IncomingHttpHeaders } from 'node:http'
import type { Operation } from '../../shared/operations/operation.ts'
import { type OperationId, operations } from '../../shared/operations.ts'

/** A path at which an operation is served. */
interface Route {
  id: OperationId
  operation: Operation
  path: string
  /** Matches paths with an id, which is its first group; null for a path without one. */
  pattern: RegExp | null
  /** Of routes that match the same path, only requests with this header get this one. */
  header: string | null
}

/** An operation, and the id in the path: empty for a path without one. */
export interface FoundRoute extends Pick<Route, 'id' | 'operation'> {
  pathId: string
}

/** Ids of models may be longer. */
const MAX_ID_LENGTH = 100

/** The path in OpenAPI's syntax. */
export function openApiPath(path: string): string {
  return path.replace('{id+}', '{id}')
}

function createRoute(id: OperationId, operation: Operation, path: string): Route {
  const pattern = path.replaceAll('.', '\\.').replace('{id+}', '(.+)').replace('{id}', '([^/]+)')
  return {
    id,
    operation,
    path,
    pattern: pattern.includes('(') ? new RegExp(`^${pattern}$`) : null,
    header: path === operation.path ? null : (operation.header ?? null),
  }
}

const OPERATION_IDS = Object.keys(operations).filter((id): id is OperationId => id in operations)

const routes: readonly Route[] = OPERATION_IDS.flatMap((id) => {
  const operation: Operation = operations[id]
  return [operation.path, ...(operation.otherPaths ?? [])].map((path) => createRoute(id, operation, path))
})

/** Routes without an id, by path. */
const fixedRoutes: ReadonlyMap<string, readonly Route[]> = Map.groupBy(
  routes.filter(({ pattern }) => pattern === null),
  ({ path }) => path,
)
const routesWithId = routes.filter(({ pattern }) => pattern !== null)

/** The operation of a request; null if there is none. */
export function findRoute(method: string, path: string, headers: IncomingHttpHeaders): FoundRoute | null {
  const operationMethod = method === 'HEAD' ? 'GET' : method
  const found = chooseRoute(fixedRoutes.get(path) ?? [], operationMethod, headers)
  if (found) return { id: found.id, operation: found.operation, pathId: '' }
  const plain = decodeColons(path)
  const matching = routesWithId.filter(({ pattern }) => pattern?.test(plain))
  const withId = chooseRoute(matching, operationMethod, headers)
  const pathId = withId ? readPathId(withId, plain) : null
  return withId && pathId !== null ? { id: withId.id, operation: withId.operation, pathId } : null
}

/** Whether a path is written as in the table of operations. */
export function isFixedPath(path: string): boolean {
  return fixedRoutes.has(path)
}

/** The methods allowed for a path; empty when the path does not exist. */
export function allowedMethods(path: string): string[] {
  if (path === '/openapi.json') return ['GET']
  return [...new Set(findRoutes(path).map(({ operation }) => operation.method))]
}

/** The operation that a request without headers gets; without a method, the first one of the path. */
export function findOperation(path: string, method?: string): Operation | undefined {
  const matching = findRoutes(path)
  if (method === undefined) return matching.find(({ header }) => header === null)?.operation
  return chooseRoute(matching, method === 'HEAD' ? 'GET' : method, {})?.operation
}

function findRoutes(path: string): readonly Route[] {
  const plain = decodeColons(path)
  return routes.filter((route) => route.pattern?.test(plain) ?? route.path === plain)
}

function chooseRoute(
  candidates: readonly Route[],
  method: string,
  headers: IncomingHttpHeaders,
): Route | undefined {
  let chosen: Route | undefined
  for (const route of candidates) {
    if (route.operation.method !== method) continue
    if (route.header === null) chosen ??= route
    else if (headers[route.header] !== undefined) return route
  }
  return chosen
}

/** Null for an id that is too long or cannot be decoded. */
function readPathId({ pattern, path: template }: Route, path: string): string | null {
  try {
    const id = decodeURIComponent(pattern?.exec(path)?.[1] ?? '')
    return id.length > MAX_ID_LENGTH && !template.includes('{id+}') ? null : id
  } catch {
    return null
  }
}

/** A colon may be encoded. */
function decodeColons(path: string): string {
  return path.includes('%') ? path.replaceAll(/%3a/gi, ':') : path
}
