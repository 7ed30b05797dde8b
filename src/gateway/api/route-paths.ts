import { operations } from '../../shared/operations.ts'

/** `/v1/keys/{id}` in Fastify's syntax. `{id+}` becomes a wildcard, because model ids contain slashes. */
export function fastifyPath(path: string): string {
  return path.replace('{id+}', '*').replace('{id}', ':id')
}

/** The path in OpenAPI's syntax. */
export function openApiPath(path: string): string {
  return path.replace('{id+}', '{id}')
}

const patterns = Object.values(operations).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace('{id+}', '.+').replace('{id}', '[^/]+')}$`),
}))

/** The methods allowed for the path of `url`; empty when the path does not exist. */
export function allowedMethods(url: string): string[] {
  const path = url.split('?', 1)[0] ?? ''
  if (path === '/openapi.json') return ['GET']
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
