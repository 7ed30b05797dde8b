// Finds for each request of an export the one in the log, by model, tokens and time.
import { getOrCreate } from '../../../gateway/platform/maps.ts'
import type { Entry } from './read-export.ts'
import type { BilledRequest } from './reconciliation-rows.ts'
import { modelKey, type Sum } from './sides.ts'

export interface Pair {
  entry: Entry | null
  request: BilledRequest | null
}

/** How long before the request is made here, and after it ends, a provider's clock can date it. */
const MAX_EARLY_MS = 30_000
const MAX_LATE_MS = 120_000
/** The window in which time alone decides, where the tokens differ. */
const CLOSE_MS = 10_000

/** Both in the order of their time. */
export function pairRequests(entries: readonly Entry[], requests: readonly BilledRequest[]): Pair[] {
  const pairing = new Pairing(requests)
  const pairOf = new Map<Entry, BilledRequest>()
  const pass = (find: (entry: Entry) => BilledRequest | null) => {
    for (const entry of entries) {
      if (pairOf.has(entry)) continue
      const found = find(entry)
      if (!found) continue
      pairOf.set(entry, found)
      pairing.take(found)
    }
  }
  // The best matches come first: a later pass must not take the match of an earlier one.
  pass((entry) => pairing.find(entry, 'tokens', MAX_EARLY_MS, MAX_LATE_MS))
  pass((entry) => pairing.find(entry, 'cost', MAX_EARLY_MS, MAX_LATE_MS))
  pass((entry) => pairing.find(entry, 'model', CLOSE_MS, CLOSE_MS))
  return [
    ...entries.map((entry) => ({ entry, request: pairOf.get(entry) ?? null })),
    ...requests.filter((request) => pairing.isFree(request)).map((request) => ({ entry: null, request })),
  ]
}

type By = 'tokens' | 'cost' | 'model'

class Pairing {
  readonly #taken = new Set<BilledRequest>()
  /** In the order of their time. */
  readonly #groups: Readonly<Record<By, Map<string, BilledRequest[]>>> = {
    tokens: new Map(),
    cost: new Map(),
    model: new Map(),
  }

  constructor(requests: readonly BilledRequest[]) {
    for (const request of requests) {
      const { tokensIn, tokensOut, costNano } = request
      const model = modelKey(request.model)
      this.#add('model', model, request)
      this.#add('tokens', `${model} ${tokensIn} ${tokensOut}`, request)
      if (costNano !== null && costNano > 0) this.#add('cost', `${model} ${costNano}`, request)
    }
  }

  isFree(request: BilledRequest): boolean {
    return !this.#taken.has(request)
  }

  take(request: BilledRequest): void {
    this.#taken.add(request)
  }

  /** The free request of the entry's group that is closest in time. */
  find(entry: Entry, by: By, earlyMs: number, lateMs: number): BilledRequest | null {
    const name = getName(entry, by)
    const group = name === null ? undefined : this.#groups[by].get(name)
    if (!group) return null
    let best: BilledRequest | null = null
    let bestDistance = Number.POSITIVE_INFINITY
    for (let index = firstFrom(group, entry.at - LONGEST_MS); index < group.length; index++) {
      const request = group[index]
      if (!request || request.createdAt - earlyMs > entry.at) break
      if (this.#taken.has(request) || entry.at > request.endedAt + lateMs) continue
      const distance = Math.min(Math.abs(entry.at - request.createdAt), Math.abs(entry.at - request.endedAt))
      if (distance < bestDistance) {
        best = request
        bestDistance = distance
      }
    }
    return best
  }

  #add(by: By, name: string, request: BilledRequest): void {
    getOrCreate(this.#groups[by], name, () => []).push(request)
  }
}

/** The longest that a request can take. */
const LONGEST_MS = 2 * 60 * 60_000

function getName({ model, tokensIn, tokensOut, costNano }: Entry, by: By): string | null {
  if (model === null) return null
  const key = modelKey(model)
  if (by === 'model') return key
  if (by === 'cost') return costNano === null || costNano === 0 ? null : `${key} ${Math.round(costNano)}`
  return tokensIn === null || tokensOut === null ? null : `${key} ${tokensIn} ${tokensOut}`
}

/** The index of the first request at or after `at`. */
function firstFrom(group: readonly BilledRequest[], at: number): number {
  let low = 0
  let high = group.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((group[middle]?.createdAt ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}

// Which uncertain charges an export settles, and at which cost.

export interface NewCharge {
  request: BilledRequest
  costNano: number
}

/** The remainder of a sum must be known this many times better than it can be wrong. */
const PRECISION = 20

function isUncertain({ costStatus }: BilledRequest): boolean {
  return costStatus === 'unsettled' || costStatus === 'estimated'
}

/** The charges of requests that the export lists one by one. */
export function chargesOfPairs(pairs: readonly Pair[]): NewCharge[] {
  return pairs.flatMap(({ entry, request }) =>
    entry && request && entry.costNano !== null && isUncertain(request)
      ? [{ request, costNano: Math.round(entry.costNano) }]
      : [],
  )
}

/**
 * Of the requests of a day and model, of which the export has only the sum: what remains of it after the certain charges.
 * Several uncertain requests share it in proportion to what they were charged; their sum is exact. None if the export
 * counts another number of requests, or its sum is too coarse.
 */
export function chargesOfSum(there: Sum, requests: readonly BilledRequest[]): NewCharge[] {
  const open = requests.filter(isUncertain)
  if (open.length === 0 || there.costNano === null) return []
  if (there.requests !== null && there.requests !== requests.length) return []
  const certain = requests.filter((request) => !isUncertain(request))
  if (certain.some(({ costNano }) => costNano === null)) return []
  const rest = Math.round(certain.reduce((left, { costNano }) => left - (costNano ?? 0), there.costNano))
  return rest < 0 || rest < there.error * PRECISION ? [] : share(open, rest)
}

function share(open: readonly BilledRequest[], restNano: number): NewCharge[] {
  const total = open.reduce((sum, { costNano }) => sum + (costNano ?? 0), 0)
  let weight = 0
  let shared = 0
  return open.map((request) => {
    weight += total === 0 ? 1 / open.length : (request.costNano ?? 0) / total
    // Each gets the difference of rounded sums, so that all together get exactly the rest.
    const upTo = request === open.at(-1) ? restNano : Math.round(restNano * weight)
    const costNano = upTo - shared
    shared = upTo
    return { request, costNano }
  })
}
