// Which uncertain charges an export settles, and at which cost.
import type { BilledRequest } from '../../store/listings/billed-requests.ts'
import type { Pair } from './pair-requests.ts'
import { femtoToNano, type Sum } from './sides.ts'

export interface NewCharge {
  request: BilledRequest
  costNano: number
}

/** The remainder of a sum must be known this many times better than it can be wrong. */
const PRECISION = 20n

function isUncertain({ costStatus }: BilledRequest): boolean {
  return costStatus === 'unsettled' || costStatus === 'estimated'
}

/** Of requests that the export lists one by one. */
export function chargesOfPairs(pairs: readonly Pair[]): NewCharge[] {
  return pairs.flatMap(({ entry, request }) =>
    entry && request && entry.cost !== null && isUncertain(request)
      ? [{ request, costNano: femtoToNano(entry.cost) }]
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
  if (open.length === 0 || there.cost === null) return []
  if (there.requests !== null && there.requests !== requests.length) return []
  const certain = requests.filter((request) => !isUncertain(request))
  if (certain.some(({ costNano }) => costNano === null)) return []
  const known = certain.reduce((sum, { costNano }) => sum + BigInt(costNano ?? 0), 0n)
  const rest = there.cost - known * 1_000_000n
  if (rest < 0n || rest < there.error * PRECISION) return []
  return share(open, femtoToNano(rest))
}

function share(open: readonly BilledRequest[], restNano: number): NewCharge[] {
  const weights = open.map(({ costNano }) => BigInt(costNano ?? 0))
  const total = weights.reduce((sum, weight) => sum + weight, 0n)
  let before = 0n
  let shared = 0
  return open.map((request, index) => {
    before += total === 0n ? 0n : (weights[index] ?? 0n)
    // Each gets the difference of rounded sums, so that all together get exactly the rest.
    const upTo =
      total === 0n
        ? Math.round((restNano * (index + 1)) / open.length)
        : Number((BigInt(restNano) * before) / total)
    const costNano = upTo - shared
    shared = upTo
    return { request, costNano }
  })
}
