import type { Plan } from '../../shared/api/account.ts'
import type { Pricing } from '../../shared/api/models.ts'
import type { AppliedPrice, CostStatus, UsageBuckets } from '../../shared/api/requests.ts'
import type { ChatUsage } from '../../shared/formats/chat-completion.ts'
import { addUsd, NANO_PER_USD, type NanoUsd, nanoToUsd, nanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import { type ReportedUsage, sumUsage, tokensIn, tokensOut } from '../formats/chat/usage.ts'
import type { Price } from '../models/catalog/price-bands.ts'
import { costOfCalls, isStated, reportedCost } from '../spend/cost.ts'
import type { Bound } from './bound.ts'

export interface Charge {
  usage: UsageBuckets | null
  tokensIn: number
  tokensOut: number
  /** Null when there is no price. */
  costNano: NanoUsd | null
  costStatus: Exclude<CostStatus, 'pending'>
  /** The cost by the vendor's API of a request that a plan pays for; null for all others. */
  worthNano: NanoUsd | null
  /** Bounds, when the outcome is not known or the provider reported far more than was possible; null otherwise. */
  costLowNano: NanoUsd | null
  costHighNano: NanoUsd | null
  price: AppliedPrice | null
}

/** The charge of a request that no provider worked on. */
export const FREE: Charge = {
  usage: null,
  tokensIn: 0,
  tokensOut: 0,
  costNano: ZERO_USD,
  costStatus: 'free',
  worthNano: null,
  costLowNano: null,
  costHighNano: null,
  price: null,
}

/** The statuses from the most to the least certain. */
const BY_CERTAINTY: readonly Charge['costStatus'][] = [
  'free',
  'plan',
  'cached',
  'exact',
  'confirmed',
  'estimated',
  'unsettled',
  'unknown',
]

/** Both together, with the less certain status, and the first price. */
export function addCharges(a: Charge, b: Charge): Charge {
  if (a.costStatus === 'free') return b
  if (b.costStatus === 'free') return a
  const costStatus =
    BY_CERTAINTY.indexOf(a.costStatus) > BY_CERTAINTY.indexOf(b.costStatus) ? a.costStatus : b.costStatus
  const cost =
    a.costNano === null || b.costNano === null ? (a.costNano ?? b.costNano) : addUsd(a.costNano, b.costNano)
  const hasBounds = a.costHighNano !== null || b.costHighNano !== null
  const open = costStatus === 'unsettled' || (costStatus === 'estimated' && hasBounds)
  return {
    usage: a.usage && b.usage ? sumUsage([a.usage, b.usage]) : (a.usage ?? b.usage),
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costNano: cost,
    costStatus,
    worthNano: b.worthNano === null ? a.worthNano : addUsd(a.worthNano ?? ZERO_USD, b.worthNano),
    costLowNano: open ? addBounds(a, b, 'costLowNano') : null,
    costHighNano: open ? addBounds(a, b, 'costHighNano') : null,
    price: a.price ?? b.price,
  }
}

/** A charge without bounds is its own bound. */
function addBounds(a: Charge, b: Charge, side: 'costLowNano' | 'costHighNano'): NanoUsd {
  return nanoUsd((a[side] ?? a.costNano ?? 0) + (b[side] ?? b.costNano ?? 0))
}

/** The charge of a request that a plan of the user pays for: nothing, whatever it would have cost by the vendor's API. */
export function coverByPlan(charge: Charge): Charge {
  if (charge.costStatus === 'free') return charge
  const covered = { costNano: ZERO_USD, costStatus: 'plan', costLowNano: null, costHighNano: null } as const
  return { ...charge, ...covered, worthNano: charge.costNano }
}

/** Usage with its `cost` in USD; there is none without a price, nor in an answer that a plan pays for, which stays unchanged. */
export function withCost(usage: ChatUsage, { costNano, costStatus }: Charge): ChatUsage {
  const { cost: _upstream, ...counts } = usage
  return costNano === null || costStatus === 'plan' ? counts : { ...counts, cost: nanoToUsd(costNano) }
}

export interface UsageToPrice {
  price: Price | null
  /** The usage of each call. */
  calls: readonly UsageBuckets[]
  /** As the provider reported it; null or absent when it did not. */
  costUsd?: number | null
  costStatus: 'exact' | 'estimated' | 'unsettled'
  /** The tier in which it was served, if not the standard one. */
  tier?: string | undefined
}

/** The charge of usage: the provider's own cost where it gives one, else what its tokens cost at the price. */
export function priceUsage(
  { price, calls, costUsd = null, costStatus, tier }: UsageToPrice,
  plan: Plan,
): Charge {
  const usage = sumUsage(calls)
  const { discountPercent } = plan
  const counted = price && countedCost(price, { calls, tier }, plan)
  const reported = costUsd === null ? null : reportedCost(costUsd, discountPercent)
  const isReportUsed = reported !== null && isUsableCost(reported, counted)
  const costNano = isReportUsed ? reported : counted
  const certainty = reported !== null && !isReportUsed ? 'estimated' : costStatus
  return {
    usage,
    tokensIn: tokensIn(usage),
    tokensOut: tokensOut(usage),
    costNano,
    costStatus: costNano === null ? 'unknown' : certainty,
    worthNano: null,
    costLowNano: null,
    costHighNano: null,
    price: price && {
      pricing: toPricing(price, calls),
      origin: price.origin,
      ...(tier === undefined ? {} : { tier }),
      plan: plan.id,
      discountPercent,
      reportedByProvider: isReportUsed,
    },
  }
}

/** The prices of the calls. If they differ with the lengths of their prompts, those of short prompts stand for all. */
function toPricing(price: Price, calls: readonly UsageBuckets[]): Pricing {
  const [first = price.pricing, ...others] = new Set(calls.map((usage) => price.pricingFor(tokensIn(usage))))
  return others.length === 0 ? first : price.pricing
}

/** The cost of the calls' tokens at the price. */
export function countedCost(
  price: Price,
  { calls, tier }: Pick<UsageToPrice, 'calls' | 'tier'>,
  { discountPercent }: Plan,
): NanoUsd {
  const rated = calls.map((usage) => ({ usage, rates: price.rates(tokensIn(usage), tier) }))
  return costOfCalls(rated, discountPercent)
}

// Whether a provider's own figures can be used. Whether they can be true for a request of this size, the meter decides.

/** Far above the longest token of any vocabulary, which is 128 spaces. */
const MAX_BYTES_PER_TOKEN = 1_000
/** The highest cost that is believed of a model whose price is zero. */
const MAX_FREE_NANO = NANO_PER_USD
/** 1,000 USD; the highest cost that is believed of a model without a known price. */
const MAX_UNPRICED_NANO = 1_000 * NANO_PER_USD

/** Whether the reported tokens can be those of an answer with so many bytes. */
export function coversAnswer(usage: UsageBuckets, producedBytes: number): boolean {
  return producedBytes <= tokensOut(usage) * MAX_BYTES_PER_TOKEN
}

/** Whether a reported cost is used instead of `counted`, the cost of the tokens; null without a price. */
function isUsableCost(reported: NanoUsd, counted: NanoUsd | null): boolean {
  if (counted === null) return reported <= MAX_UNPRICED_NANO
  // A server that does not know the price reports zero.
  return counted === 0 ? reported <= MAX_FREE_NANO : reported > 0
}

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
