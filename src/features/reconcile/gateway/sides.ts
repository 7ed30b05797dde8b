// Sums of what an export and the request log say about the same requests.

import { NANO_PER_USD } from '../../../shared/money/money.ts'
import type { MatchStatus, ReconciledSide } from '../api/reconciliations.ts'
import type { Entry } from './read-export.ts'
import { FEMTO_PER_NANO } from './read-numbers.ts'
import type { BilledRequest } from './reconciliation-rows.ts'

export interface Sum {
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** 10⁻¹⁵ USD. */
  cost: bigint | null
  /** How much the cost can differ because of its rounding. */
  error: bigint
}

const NOTHING: Sum = { requests: null, tokensIn: null, tokensOut: null, cost: null, error: 0n }
/** A cost that is computed here is rounded once, for each request. */
const OUR_ERROR = FEMTO_PER_NANO / 2n

export function sumEntries(entries: readonly Entry[], each: 'request' | 'period'): Sum {
  return entries.reduce<Sum>(
    (sum, entry) => ({
      requests: add(sum.requests, each === 'request' ? 1 : entry.requests),
      tokensIn: add(sum.tokensIn, entry.tokensIn),
      tokensOut: add(sum.tokensOut, entry.tokensOut),
      cost: entry.cost === null ? sum.cost : (sum.cost ?? 0n) + entry.cost,
      error: sum.error + entry.costError,
    }),
    NOTHING,
  )
}

/** Nothing is added for requests without a known price, as nothing was charged. */
export function sumRequests(requests: readonly BilledRequest[]): Sum {
  let tokensIn = 0
  let tokensOut = 0
  let nano = 0n
  for (const request of requests) {
    tokensIn += request.tokensIn
    tokensOut += request.tokensOut
    nano += BigInt(request.costNano ?? 0)
  }
  const count = requests.length
  return {
    requests: count,
    tokensIn,
    tokensOut,
    cost: nano * FEMTO_PER_NANO,
    error: OUR_ERROR * BigInt(count),
  }
}

export function getStatus(there: Sum | null, here: Sum | null): MatchStatus {
  if (!there) return 'missing-there'
  if (!here) return 'missing-here'
  const counts = ['requests', 'tokensIn', 'tokensOut'] as const
  const isSameCount = counts.every(
    (name) => there[name] === null || here[name] === null || there[name] === here[name],
  )
  return isSameCount && isSameCost(there, here) ? 'matched' : 'differing'
}

function isSameCost(there: Sum, here: Sum): boolean {
  if (there.cost === null || here.cost === null) return true
  const difference = there.cost - here.cost
  return (difference < 0n ? -difference : difference) <= there.error + here.error
}

/** Null if the export has no costs. */
export function differenceUsd(there: Sum | null, here: Sum | null): number | null {
  if (there && there.cost === null) return null
  return femtoToUsd((there?.cost ?? 0n) - (here?.cost ?? 0n))
}

export function toSide(sum: Sum): ReconciledSide {
  const { requests, tokensIn, tokensOut, cost } = sum
  return { requests, tokensIn, tokensOut, costUsd: cost === null ? null : femtoToUsd(cost) }
}

/** Rounded to the nano-dollar. */
export function femtoToNano(femto: bigint): number {
  const half = femto < 0n ? -FEMTO_PER_NANO / 2n : FEMTO_PER_NANO / 2n
  return Number((femto + half) / FEMTO_PER_NANO)
}

function femtoToUsd(femto: bigint): number {
  return femtoToNano(femto) / NANO_PER_USD
}

function add(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
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
