import type { Plan } from '../../shared/account.ts'
import type { Pricing } from '../../shared/models.ts'
import type { NanoUsd } from '../../shared/money.ts'
import type { UsageBuckets } from '../../shared/requests.ts'
import { costOfCalls, reportedCost } from '../billing/cost.ts'
import type { Price } from '../catalog/price.ts'
import { sumUsage, tokensIn, tokensOut } from '../formats/token-usage.ts'
import type { Charge } from './charge.ts'
import { isPlausibleCost } from './plausible-usage.ts'

export interface UsageToPrice {
  price: Price | null
  /** Of each call. */
  calls: readonly UsageBuckets[]
  /** As the provider reported it; null when it did not. */
  costUsd: number | null
  costStatus: 'exact' | 'estimated' | 'unsettled'
  /** The tier in which it was served, if not the standard one. */
  tier?: string | undefined
}

/** The charge of usage: the provider's own cost where that can be true, else what its tokens cost at the price. */
export function priceUsage({ price, calls, costUsd, costStatus, tier }: UsageToPrice, plan: Plan): Charge {
  const usage = sumUsage(calls)
  const { discountPercent } = plan
  const counted = price && countedCost(price, { calls, tier }, plan)
  const reported = costUsd === null ? null : reportedCost(costUsd, discountPercent)
  const isReportPlausible = reported !== null && isPlausibleCost(reported, counted)
  const costNano = isReportPlausible ? reported : counted
  const certainty = reported !== null && !isReportPlausible ? 'estimated' : costStatus
  return {
    usage,
    tokensIn: tokensIn(usage),
    tokensOut: tokensOut(usage),
    costNano,
    costStatus: costNano === null ? 'unknown' : certainty,
    costLowNano: null,
    costHighNano: null,
    price: price && {
      pricing: pricingOf(price, calls),
      origin: price.origin,
      ...(tier === undefined ? {} : { tier }),
      plan: plan.id,
      discountPercent,
      reportedByProvider: isReportPlausible,
    },
  }
}

/** The prices of the calls. If they differ with the lengths of their prompts, those of short prompts stand for all. */
function pricingOf(price: Price, calls: readonly UsageBuckets[]): Pricing {
  const [first = price.pricing, ...others] = new Set(calls.map((usage) => price.pricingFor(tokensIn(usage))))
  return others.length === 0 ? first : price.pricing
}

/** What the tokens of the calls cost at the price. */
export function countedCost(
  price: Price,
  { calls, tier }: Pick<UsageToPrice, 'calls' | 'tier'>,
  { discountPercent }: Plan,
): NanoUsd {
  const rated = calls.map((usage) => ({ usage, rates: price.rates(tokensIn(usage), tier) }))
  return costOfCalls(rated, discountPercent)
}
