// Whether a provider's own figures can be true. If not, the request is estimated instead.

import { NANO_PER_USD, type NanoUsd } from '../../shared/money.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import { tokensIn, tokensOut } from '../formats/token-usage.ts'
import { type Bound, MAX_OUTPUT } from './worst-case.ts'

/** Tokens. The largest context that any vendor offers. */
const MAX_PROMPT = 10_000_000
/** Far above the longest token of any vocabulary, which is 128 spaces. */
const MAX_BYTES_PER_TOKEN = 1_000
/** How many times the cost of the tokens at the known price a reported cost can be. */
const MAX_TIMES_COUNTED = 100
/** A small cost may be off by more: a fee for each request, a search. */
const FEE_NANO = NANO_PER_USD
/** 1,000 USD; the highest plausible cost of a request without a known price. */
const MAX_UNPRICED_NANO = 1_000 * NANO_PER_USD

/** How many times the bound of a request its reported cost can be. */
const MAX_TIMES_BOUND = 10

/**
 * Whether a cost can be true for a request with this bound. A bound of zero says nothing: the price is zero. Nor does one that
 * the provider may exceed with input of its own.
 */
export function isWithinReach(cost: NanoUsd, most: NanoUsd, { external }: Bound): boolean {
  return external || most === 0 || cost <= most * MAX_TIMES_BOUND
}

/** Whether the counts can be true for a request of this size whose answer has so many bytes. */
export function isPlausibleUsage(usage: UsageBuckets, { calls }: Bound, producedBytes = 0): boolean {
  const sent = tokensIn(usage)
  const produced = tokensOut(usage)
  return (
    sent <= MAX_PROMPT * calls &&
    produced <= MAX_OUTPUT * calls &&
    producedBytes <= produced * MAX_BYTES_PER_TOKEN
  )
}

/** Whether a reported cost can be true. `counted`: the cost of the tokens; null without a price. */
export function isPlausibleCost(reported: NanoUsd, counted: NanoUsd | null): boolean {
  if (counted === null) return reported <= MAX_UNPRICED_NANO
  // A server that does not know the price reports zero.
  if (reported === 0) return counted === 0
  return reported <= counted * MAX_TIMES_COUNTED + FEE_NANO
}
