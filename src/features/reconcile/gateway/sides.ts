// Sums of what an export and the request log say about the same requests.

import { NANO_PER_USD } from '../../../shared/money/money.ts'
import type {
  MatchStatus,
  ReconciledSide,
  ReconciliationSummary,
  Settleable,
} from '../api/reconciliations.ts'
import type { Entry } from './read-export.ts'
import type { BilledRequest } from './reconciliation-rows.ts'

export interface Sum {
  requests: number | null
  tokensIn: number | null
  tokensOut: number | null
  costNano: number | null
  /** How much the cost can differ because of its rounding. */
  error: number
}

const NOTHING: Sum = { requests: null, tokensIn: null, tokensOut: null, costNano: null, error: 0 }
/** A cost that is computed here is rounded once, for each request. */
const OUR_ERROR = 0.5
/** What the addition of fractions of nano-dollars can be wrong by. */
const FLOAT_ERROR = 0.01

export function sumEntries(entries: readonly Entry[], each: 'request' | 'period'): Sum {
  return entries.reduce<Sum>(
    (sum, entry) => ({
      requests: add(sum.requests, each === 'request' ? 1 : entry.requests),
      tokensIn: add(sum.tokensIn, entry.tokensIn),
      tokensOut: add(sum.tokensOut, entry.tokensOut),
      costNano: add(sum.costNano, entry.costNano),
      error: sum.error + entry.costError,
    }),
    NOTHING,
  )
}

/** Nothing is added for requests without a known price, as nothing was charged. */
export function sumRequests(requests: readonly BilledRequest[]): Sum {
  const sum = { requests: requests.length, tokensIn: 0, tokensOut: 0, costNano: 0, error: 0 }
  for (const { tokensIn, tokensOut, costNano } of requests) {
    sum.tokensIn += tokensIn
    sum.tokensOut += tokensOut
    sum.costNano += costNano ?? 0
    sum.error += OUR_ERROR
  }
  return sum
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
  if (there.costNano === null || here.costNano === null) return true
  return Math.abs(there.costNano - here.costNano) <= there.error + here.error + FLOAT_ERROR
}

/** Null if the export has no costs. */
export function differenceUsd(there: Sum | null, here: Sum | null): number | null {
  if (there && there.costNano === null) return null
  return toUsd((there?.costNano ?? 0) - (here?.costNano ?? 0))
}

export function toSide({ requests, tokensIn, tokensOut, costNano }: Sum): ReconciledSide {
  return { requests, tokensIn, tokensOut, costUsd: costNano === null ? null : toUsd(costNano) }
}

function toUsd(nano: number): number {
  return Math.round(nano) / NANO_PER_USD
}

/** How much of the charges is open and settled, summed in whole nano-dollars. */
export function sumSettleable(
  settleable: readonly Settleable[],
): Pick<ReconciliationSummary, 'open' | 'settled'> {
  const sum = (state: Settleable['state']) => {
    const charges = settleable.filter((charge) => charge.state === state)
    const changes = charges.map(({ beforeUsd, afterUsd }) => (afterUsd - beforeUsd) * NANO_PER_USD)
    const nano = changes.reduce((total, change) => total + Math.round(change), 0)
    return { requests: charges.length, changeUsd: nano / NANO_PER_USD }
  }
  return { open: sum('open'), settled: sum('settled') }
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
