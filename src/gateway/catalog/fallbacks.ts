// Owns what may be said of a model's fallbacks: each can be served, and none leads back. Pure; asks nobody.
import { type GatewayError, invalidRequest } from '../platform/errors.ts'

export interface FallbackGraph {
  /** Whether somebody serves the model, or may once a provider is turned on again. */
  resolves(id: string): boolean
  /** The fallbacks that the model has now. */
  fallbacksOf(id: string): readonly string[]
}

/** Throws 400 with `param` `fallbacks`, naming the model that nobody serves or the way that leads back to `id`. */
export function checkFallbacks(id: string, fallbacks: readonly string[], graph: FallbackGraph): void {
  const before = graph.fallbacksOf(id)
  for (const fallback of fallbacks) {
    if (fallback === id) throw refused('A model cannot be its own fallback.')
    if (!before.includes(fallback) && !graph.resolves(fallback)) {
      throw refused(`The fallback "${fallback}" is not offered by any provider.`)
    }
    const way = wayBack(fallback, id, graph)
    if (way) throw refused(`These fallbacks would lead in a circle: ${[id, ...way].join(' → ')}.`)
  }
}

/** The shortest chain from `from` to `id`, both included; null when there is none. */
function wayBack(from: string, id: string, graph: FallbackGraph): string[] | null {
  const seen = new Set([from])
  const ways = [[from]]
  for (const way of ways) {
    for (const next of graph.fallbacksOf(way.at(-1) ?? from)) {
      if (next === id) return [...way, id]
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return null
}

function refused(message: string): GatewayError {
  return invalidRequest(message, { param: 'fallbacks' })
}
