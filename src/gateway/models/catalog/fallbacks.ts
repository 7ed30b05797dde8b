import { type GatewayError, invalidRequest } from '../../platform/errors.ts'

export interface FallbackGraph {
  /** Whether a provider offers the model, or will once it is enabled. */
  resolves(id: string): boolean
  /** The current fallbacks of the model. */
  fallbacksOf(id: string): readonly string[]
}

/** Throws 400 with `param` `fallbacks` for a model that no provider offers, and for a cycle. */
export function checkFallbacks(id: string, fallbacks: readonly string[], graph: FallbackGraph): void {
  const before = graph.fallbacksOf(id)
  for (const fallback of fallbacks) {
    if (fallback === id) throw invalidFallbacks('A model cannot be its own fallback.')
    if (!before.includes(fallback) && !graph.resolves(fallback)) {
      throw invalidFallbacks(`The fallback "${fallback}" is not offered by any provider.`)
    }
    const path = findPath(fallback, id, graph)
    if (path) throw invalidFallbacks(`These fallbacks would form a cycle: ${[id, ...path].join(' → ')}.`)
  }
}

/** The shortest path from `from` to `id`, both included; null when there is none. */
function findPath(from: string, id: string, graph: FallbackGraph): string[] | null {
  const seen = new Set([from])
  const paths = [[from]]
  for (const path of paths) {
    for (const next of graph.fallbacksOf(path.at(-1) ?? from)) {
      if (next === id) return [...path, id]
      if (seen.has(next)) continue
      seen.add(next)
      paths.push([...path, next])
    }
  }
  return null
}

function invalidFallbacks(message: string): GatewayError {
  return invalidRequest(message, { param: 'fallbacks' })
}
