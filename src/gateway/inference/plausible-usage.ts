// How far a provider's own figures are believed. What cannot be true is not used: the request is estimated instead.
import { NANO_PER_USD, type NanoUsd } from '../../shared/money.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import { tokensIn, tokensOut } from '../formats/token-usage.ts'
import { type Bound, MOST_OUTPUT } from './worst-case.ts'

/** Tokens. The largest context that any vendor offers. */
const MOST_PROMPT = 10_000_000
/** Far above the longest token of any vocabulary, which is 128 spaces. */
const MOST_BYTES_PER_TOKEN = 1_000
/** How far a provider's cost may be from what its tokens come to at the known price. */
const MOST_TIMES_COUNTED = 100
/** A small cost may be off by more: a fee for each request, a search. */
const FEE_NANO = NANO_PER_USD
/** 1,000 USD; the most that is believed of a request whose price nobody knows. */
const MOST_UNPRICED_NANO = 1_000 * NANO_PER_USD

/** Whether the counts can be true of a request of this size that brought so many bytes. */
export function isPlausibleUsage(usage: UsageBuckets, { calls }: Bound, producedBytes = 0): boolean {
  const sent = tokensIn(usage)
  const produced = tokensOut(usage)
  return (
    sent <= MOST_PROMPT * calls &&
    produced <= MOST_OUTPUT * calls &&
    producedBytes <= produced * MOST_BYTES_PER_TOKEN
  )
}

/** Whether a reported cost can be true beside what the tokens come to; `counted` is null without a price. */
export function isPlausibleCost(reported: NanoUsd, counted: NanoUsd | null): boolean {
  if (counted === null) return reported <= MOST_UNPRICED_NANO
  // A server that does not know the price reports zero.
  if (reported === 0) return counted === 0
  return reported <= counted * MOST_TIMES_COUNTED + FEE_NANO
}
