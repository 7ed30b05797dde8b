// What the makers of models accept of a Converse request. AWS names the maker in the id of a model, after the regions of a profile:
// `us.amazon.nova-pro-v1:0`. The ARN of an application's own profile names none.
import { type Effort, nearestEffort } from '../chat/message-content.ts'
import type { JsonObject } from '../json/json.ts'

export interface Maker {
  /** Where points of the cache may be: nowhere, after texts of system and messages, anywhere, or only where the client has them. */
  cachePoints: 'none' | 'texts' | 'all' | 'given'
  /** Whether a choice of tools may force a call: of any tool, or of the one that is named as well. */
  forces: 'any' | 'named' | null
  /** Whether an answer can be held to a JSON Schema. */
  schemas: boolean
}

const ID = /(?:^|[/:])(?:(?:us-gov|global|[a-z]{2,4})\.)?([a-z][a-z0-9]*)\./

const UNKNOWN: Maker = { cachePoints: 'given', forces: 'named', schemas: true }
const OTHER: Maker = { cachePoints: 'none', forces: null, schemas: true }

/**
 * Sources: AWS's user guide of Bedrock ("Prompt caching", "Structured outputs", `ToolChoice`), and the errors in
 * LibreChat#13838, hermes-agent#97281 and earendil-works/pi#2053.
 */
const MAKERS: ReadonlyMap<string, Maker> = new Map([
  ['anthropic', { cachePoints: 'all', forces: 'named', schemas: true }],
  ['amazon', { cachePoints: 'texts', forces: 'named', schemas: false }],
  ['mistral', { ...OTHER, forces: 'any' }],
  ['openai', { ...OTHER, forces: 'named' }],
  ['meta', { ...OTHER, schemas: false }],
])

function readMaker(modelId: string): string | null {
  return ID.exec(modelId.toLowerCase())?.[1] ?? null
}

export function findMaker(modelId: string): Maker {
  const name = readMaker(modelId)
  return name === null ? UNKNOWN : (MAKERS.get(name) ?? OTHER)
}

export function isClaude(modelId: string): boolean {
  return readMaker(modelId) === 'anthropic'
}

/** Streams of OpenAI's models count what they read from the cache, or write to it, in their input too. */
export function countsCacheTwice(modelId: string): boolean {
  return readMaker(modelId) === 'openai'
}

const LEVELS = ['low', 'medium', 'high'] as const
const LONG_LEVELS = [...LEVELS, 'xhigh', 'max'] as const

/** The model rejects an output limit with its highest effort, and the limit is what bounds the cost. */
function encodeNovaEffort(effort: Effort, isLimited: boolean): JsonObject {
  if (effort === 'none') return {}
  const maxReasoningEffort = nearestEffort(effort, isLimited ? ['low', 'medium'] : LEVELS)
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort } }
}

/**
 * How models other than Claude take a reasoning effort. Sources: AWS's user guide of Nova 2 ("Extended thinking"),
 * langchain-aws#1188 and the package `@earendil-works/pi-ai`.
 */
const EFFORTS: readonly [RegExp, (effort: Effort, isLimited: boolean) => JsonObject][] = [
  [/nova-2/, encodeNovaEffort],
  [/gpt-oss|kimi-k2/, (effort) => ({ reasoning_effort: nearestEffort(effort, LEVELS) })],
  [/openai\.gpt-/, (effort) => ({ reasoning: { effort: nearestEffort(effort, ['none', ...LONG_LEVELS]) } })],
]

/** The model's own fields for an effort; none if it takes no effort. `isLimited`: the request has an output limit. */
export function encodeEffort(modelId: string, effort: Effort | null, isLimited: boolean): JsonObject {
  const id = modelId.toLowerCase()
  return (effort && EFFORTS.find(([pattern]) => pattern.test(id))?.[1](effort, isLimited)) ?? {}
}
