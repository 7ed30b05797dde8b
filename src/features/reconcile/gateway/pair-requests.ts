// Finds for each request of an export the one in the log, by model, tokens and time.

import type { Entry, ExportEntry } from './read-export.ts'
import type { BilledRequest } from './reconciliation-rows.ts'

/** A way to recognize the request of an entry. */
interface Likeness {
  /** Null for an entry that cannot be found in this way. */
  getKey(entry: Entry, model: string): string | null
  /** How long before the request is made here, and after it ends, a provider's clock can date it. */
  earlyMs: number
  lateMs: number
}

/** The best comes first: a later one must not take the match of an earlier one. */
const LIKENESSES: readonly Likeness[] = [
  {
    getKey: ({ tokensIn, tokensOut }, model) =>
      tokensIn === null || tokensOut === null ? null : `${model} ${tokensIn} ${tokensOut}`,
    earlyMs: 30_000,
    lateMs: 120_000,
  },
  {
    getKey: ({ costNano }, model) => (costNano ? `${model} ${Math.round(costNano)}` : null),
    earlyMs: 30_000,
    lateMs: 120_000,
  },
  // The window in which time alone decides, where the tokens differ.
  { getKey: (_entry, model) => model, earlyMs: 10_000, lateMs: 10_000 },
]

/** The longest that a request can take. */
const LONGEST_MS = 2 * 60 * 60_000

/** The request of each entry, where there is one. Both are in the order of their time. */
export function pairRequests(
  entries: readonly ExportEntry[],
  requests: readonly BilledRequest[],
): ReadonlyMap<ExportEntry, BilledRequest> {
  const pairs = new Map<ExportEntry, BilledRequest>()
  const taken = new Set<BilledRequest>()
  for (const { getKey, earlyMs, lateMs } of LIKENESSES) {
    const findKey = (entry: Entry) => (entry.model === null ? null : getKey(entry, modelKey(entry.model)))
    const alike = Map.groupBy(requests, findKey)
    for (const entry of entries) {
      const key = findKey(entry)
      if (key === null || pairs.has(entry)) continue
      const near = listNear(alike.get(key) ?? [], entry.at, earlyMs, lateMs)
      const request = findClosest(
        near.filter((candidate) => !taken.has(candidate)),
        entry.at,
      )
      if (!request) continue
      pairs.set(entry, request)
      taken.add(request)
    }
  }
  return pairs
}

/** The requests that a provider can have dated `at`. */
function listNear(
  requests: readonly BilledRequest[],
  at: number,
  earlyMs: number,
  lateMs: number,
): BilledRequest[] {
  const first = findFirst(requests, at - LONGEST_MS - lateMs)
  const end = findFirst(requests, at + earlyMs + 1)
  return requests.slice(first, end).filter(({ endedAt }) => at <= endedAt + lateMs)
}

function findClosest(requests: readonly BilledRequest[], at: number): BilledRequest | null {
  const distance = (request: BilledRequest) =>
    Math.min(Math.abs(at - request.at), Math.abs(at - request.endedAt))
  return requests.reduce<BilledRequest | null>(
    (closest, request) => (closest && distance(closest) <= distance(request) ? closest : request),
    null,
  )
}

/** The index of the first request at or after `at`. */
function findFirst(requests: readonly BilledRequest[], at: number): number {
  let low = 0
  let high = requests.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((requests[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * What the names of a model have in common: `anthropic/claude-opus-4.7:beta`, `claude-opus-4-7-20260910` and "Claude Opus
 * 4.7" are one model in an export and another in the log.
 */
export function modelKey(name: string): string {
  const last = name.trim().toLowerCase().split('/').at(-1) ?? ''
  return last
    .replace(/:[\w-]+$/, '')
    .replaceAll(/[\s._]+/g, '-')
    .replace(/-latest$/, '')
    .replace(/-(20\d\d-\d\d-\d\d|20\d{6}|\d\d-20\d\d)$/, '')
}
