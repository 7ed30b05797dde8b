// Marks for the cache of prompts as Converse has them: a block of its own after what is cached. Source: AWS's user guide of
// Bedrock, "Prompt caching".
import { isObject, type JsonObject } from '../json/json.ts'
import type { Maker } from './makers.ts'
import type { Turn } from './messages.ts'

interface MarkedRequest {
  tools: readonly JsonObject[]
  system: readonly JsonObject[]
  messages: readonly Turn[]
}

/**
 * Replaces the marks of blocks by points after them, in the order in which the model reads them, as far as the maker accepts
 * points. A point for an hour after one for five minutes would be rejected, so it is one for five minutes.
 */
export function placeCachePoints(
  { tools, system, messages }: MarkedRequest,
  { cachePoints }: Maker,
): { tools: JsonObject[]; system: JsonObject[]; messages: Turn[] } {
  let hasShort = false
  const place = (block: JsonObject): JsonObject[] => {
    const { cache_control: mark, ...plain } = block
    const isPlaced = cachePoints !== 'none' && (cachePoints !== 'texts' || 'text' in plain)
    if (!isObject(mark) || !isPlaced) return [plain]
    const isLong = mark.ttl === '1h' && cachePoints !== 'texts' && !hasShort
    hasShort ||= !isLong
    return [plain, { cachePoint: { type: 'default', ...(isLong && { ttl: '1h' }) } }]
  }
  return {
    tools: tools.flatMap(place),
    system: system.flatMap(place),
    messages: messages.map(({ role, content }) => ({ role, content: content.flatMap(place) })),
  }
}
