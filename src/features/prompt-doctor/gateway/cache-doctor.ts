// Why a provider's cache did not have the beginning of a prompt that it had cached for the request before. Only what is certain
// counts as a break, and a cause that is not certain is unknown.

import type { RequestAgent, UsageBuckets } from '../../../shared/api/requests.ts'
import type { CacheCause } from '../api/prompts.ts'
import type { PromptShape } from './prompt-shape.ts'

/** Tokens. Vendors cache nothing shorter, and smaller differences are their rounding. */
const MIN_LOST_TOKENS = 1_024
const MIN_LOST_SHARE = 0.1
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Conversations of a session that go on, such as those of sub-agents. */
const MAX_LANES = 8
const MAX_SESSIONS = 2_000

export interface CheckedRequest {
  sessionId: string
  agent: Pick<RequestAgent, 'id' | 'role'> | null
  /** The provider and the model that served it. */
  servedBy: string
  shape: Pick<PromptShape, 'tools' | 'system' | 'messages'>
  usage: UsageBuckets
  /** When it began, in epoch milliseconds. */
  at: number
}

export interface CacheBreak {
  cause: CacheCause
  /** Tokens that were in the cache after the request before, and were not read from it. */
  lostTokens: number
}

/** A conversation, as its last request left it. */
interface Lane extends Pick<CheckedRequest, 'agent' | 'servedBy' | 'shape' | 'at'> {
  cachedTokens: number
  /** Null where the vendor states none. */
  lifetimeMs: number | null
}

/** How a request goes on with a conversation. */
type Continuation = 'same' | 'history' | 'compaction'

export class CacheDoctor {
  /** The conversations of each session; the session that was used last is at the end. */
  readonly #lanes = new Map<string, Lane[]>()

  /** Null if nothing was lost, or if the request begins a conversation. */
  check(request: CheckedRequest): CacheBreak | null {
    const { sessionId, usage } = request
    const lanes = this.#lanes.get(sessionId) ?? []
    this.#lanes.delete(sessionId)
    this.#lanes.set(sessionId, lanes)
    if (this.#lanes.size > MAX_SESSIONS)
      for (const [oldest] of this.#lanes.entries().take(1)) this.#lanes.delete(oldest)
    const match = findLane(lanes, request)
    const lane = createLane(request)
    if (match) lanes.splice(lanes.indexOf(match.lane), 1)
    lanes.unshift(lane)
    lanes.length = Math.min(lanes.length, MAX_LANES)
    if (!match) return null
    const lostTokens = match.lane.cachedTokens - usage.cacheRead
    if (lostTokens < Math.max(MIN_LOST_TOKENS, match.lane.cachedTokens * MIN_LOST_SHARE)) return null
    return { cause: findCause(match.lane, request, match.continuation), lostTokens }
  }
}

function createLane({ agent, servedBy, shape, at, usage }: CheckedRequest): Lane {
  const { cacheRead, cacheWrite5m, cacheWrite1h } = usage
  const lifetimeMs = cacheWrite1h > 0 ? HOUR : cacheWrite5m > 0 ? 5 * MINUTE : null
  const { tools, system, messages } = shape
  const hashes = { tools, system, messages }
  return {
    agent,
    servedBy,
    shape: hashes,
    at,
    cachedTokens: cacheRead + cacheWrite5m + cacheWrite1h,
    lifetimeMs,
  }
}

/** The conversation that the request certainly goes on with: the one with which it has the most in common. */
function findLane(
  lanes: readonly Lane[],
  request: CheckedRequest,
): { lane: Lane; continuation: Continuation } | null {
  let best: { lane: Lane; continuation: Continuation } | null = null
  let most = -1
  for (const lane of lanes) {
    if ((lane.agent?.id ?? null) !== (request.agent?.id ?? null)) continue
    const overlap = countOverlap(lane.shape.messages, request.shape.messages)
    const continuation = overlap > most ? compare(lane, request, overlap) : null
    if (continuation === null) continue
    best = { lane, continuation }
    most = overlap
  }
  return best
}

/** Null if it may be another conversation. `overlap`: how many messages both have. */
function compare(lane: Lane, { shape: now, agent }: CheckedRequest, overlap: number): Continuation | null {
  const previousShape = lane.shape
  const sameTools = isSame(previousShape.tools, now.tools)
  const sameSystem = isSame(previousShape.system, now.system)
  // A side call, such as that for a title, has neither the tools nor the instructions of the agent.
  if ((!sameTools && !sameSystem) || (previousShape.tools.length === 0) !== (now.tools.length === 0))
    return null
  const { length } = previousShape.messages
  if (length > 0 && countCommon(previousShape.messages, now.messages) === length) return 'same'
  if (now.messages.length * 2 > length) return overlap * 2 > length && overlap > 1 ? 'history' : null
  // A sibling may have the first messages in common; a summary also keeps later ones, or the client says whose it is.
  const isMain = lane.agent?.role === 'main' && agent?.role === 'main'
  return overlap >= 3 || (isMain && sameTools && sameSystem) ? 'compaction' : null
}

function findCause(
  { servedBy, at, lifetimeMs, shape: previousShape }: Lane,
  request: CheckedRequest,
  continuation: Continuation,
): CacheCause {
  const { shape: now } = request
  if (servedBy !== request.servedBy) return 'model'
  // Vendors that state no lifetime keep a prompt for an hour at most.
  if (request.at - at > (lifetimeMs ?? HOUR)) return 'lifetime'
  if (!isSame(previousShape.tools, now.tools))
    return isSame(previousShape.tools.toSorted(), now.tools.toSorted()) ? 'tool-order' : 'tools'
  if (!isSame(previousShape.system, now.system)) return 'system'
  return continuation === 'same' ? 'unknown' : continuation
}

function isSame(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && countCommon(a, b) === a.length
}

/** How many of the first are the same. */
function countCommon(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length)
  let at = 0
  while (at < length && a[at] === b[at]) at += 1
  return at
}

/** How many are in both, in whatever place. */
function countOverlap(a: readonly number[], b: readonly number[]): number {
  const left = new Map<number, number>()
  for (const each of a) left.set(each, (left.get(each) ?? 0) + 1)
  let count = 0
  for (const each of b) {
    const rest = left.get(each) ?? 0
    if (rest === 0) continue
    left.set(each, rest - 1)
    count += 1
  }
  return count
}
