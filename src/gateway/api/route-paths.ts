// Owns the reading of the operations table's paths: for the router, and for telling which methods a path has.
import { operations } from '../../shared/operations.ts'

/** `/v1/keys/{id}` as the router writes it; `{id+}` becomes a wildcard, because model ids have slashes. */
export function fastifyPath(path: string): string {
  return path.replace('{id+}', '*').replace('{id}', ':id')
}

/** As OpenAPI writes it. */
export function openApiPath(path: string): string {
  return path.replace('{id+}', '{id}')
}

const patterns = Object.values(operations).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace('{id+}', '.+').replace('{id}', '[^/]+')}$`),
}))

/** The methods that the path of `url` answers to; none when there is no such path. */
export function allowedMethods(url: string): string[] {
  const path = url.split('?', 1)[0] ?? ''
  if (path === '/openapi.json') return ['GET']
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
