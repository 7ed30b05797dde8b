import { isStated } from '../billing/cost.ts'
import type { Price } from '../catalog/price.ts'
import { type ReportedUsage, tokensIn } from '../formats/token-usage.ts'

/** The status of a charge by the provider's own count: the tokens are exact, but the price need not be. */
export function statusOfReport(
  { buckets, costUsd, otherTier, estimated }: ReportedUsage,
  price: Price | null,
): 'exact' | 'estimated' {
  if (costUsd !== null) return 'exact'
  if (estimated || price?.origin.match === 'approximate') return 'estimated'
  return !price || isStated(buckets, price.rates(tokensIn(buckets), otherTier)) ? 'exact' : 'estimated'
}
