// Marks for Anthropic's cache of prompts. Source: Anthropic's documentation, "Prompt caching". A mark covers all that precedes
// it, in the order of tools, system and messages. What an earlier request has cached is found at a mark, and up to 20 blocks
// before it.
import type { CacheLifetime } from '../chat/codec-types.ts'
import { isObject, type JsonObject, listObjects } from '../json/json.ts'

const MAX_MARKS = 4

export interface MarkedPrompt {
  tools: readonly JsonObject[]
  system: readonly JsonObject[]
  messages: readonly { role: string; content: JsonObject[] }[]
}

/**
 * Marks the prompt of an agent or of a conversation, as far as the client's own marks leave room. The end of the last turn is
 * cached for the next request. The end of the turn before is where that request finds it, also if the answer and the
 * results of its tools have more than 20 blocks. System and tools are shared with other conversations.
 */
export function markPrompt({ tools, system, messages }: MarkedPrompt, lifetime: CacheLifetime): void {
  if (tools.length === 0 && !messages.some(({ role }) => role === 'assistant')) return
  const blocks = messages.flatMap(({ content }) => content)
  const markable = [...tools, ...system, ...blocks, ...blocks.flatMap(({ content }) => listObjects(content))]
    .map(({ cache_control: mark }) => mark)
    .filter(isObject)
  const lifetimes = new Set(markable.map(({ ttl }) => (ttl === '1h' ? ttl : '5m')))
  // Anthropic rejects a mark for an hour after one for five minutes, so a client's mixture is left as it is.
  if (lifetimes.size > 1) return
  const [ttl = lifetime] = lifetimes
  const turns = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
  const places = [turns.at(-1), turns.at(-2), system, tools].map((list) => list?.at(-1)).filter(isObject)
  const free = places.filter((place) => !place.cache_control)
  for (const place of free.slice(0, Math.max(0, MAX_MARKS - markable.length)))
    place.cache_control = { type: 'ephemeral', ...(ttl === '1h' && { ttl }) }
}
