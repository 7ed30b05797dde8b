import { isStated } from '../billing/cost.ts'
import type { Price } from '../catalog/price.ts'
import { type ReportedUsage, tokensIn } from '../formats/token-usage.ts'
import type { Bound } from './worst-case.ts'

/**
 * The status of a charge by the provider's own count: the tokens are exact, but the price need not be, and what the request
 * asked for without a price may have been billed.
 */
export function statusOfReport(
  { buckets, costUsd, otherTier, estimated }: ReportedUsage,
  price: Price | null,
  { unpriced }: Pick<Bound, 'unpriced'> = {},
): 'exact' | 'estimated' {
  if (unpriced) return 'estimated'
  if (costUsd !== null) return 'exact'
  if (estimated || price?.origin.match === 'approximate') return 'estimated'
  return !price || isStated(buckets, price.rates(tokensIn(buckets), otherTier)) ? 'exact' : 'estimated'
}
