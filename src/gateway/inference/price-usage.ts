import type { Plan } from '../../shared/account.ts'
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
  const base = {
    usage,
    tokensIn: tokensIn(usage),
    tokensOut: tokensOut(usage),
    costLowNano: null,
    costHighNano: null,
  }
  const { discountPercent } = plan
  const ratedCalls = price && calls.map((call) => ({ usage: call, rates: price.rates(tokensIn(call), tier) }))
  const counted = ratedCalls && costOfCalls(ratedCalls, discountPercent)
  const reported = costUsd === null ? null : reportedCost(costUsd, discountPercent)
  const isReportPlausible = reported !== null && isPlausibleCost(reported, counted)
  const costNano = isReportPlausible ? reported : counted
  if (costNano === null) return { ...base, costNano, costStatus: 'unknown', price: null }
  return {
    ...base,
    costNano,
    costStatus: reported !== null && !isReportPlausible ? 'estimated' : costStatus,
    price: price && {
      pricing: price.pricing,
      origin: price.origin,
      ...(tier === undefined ? {} : { tier }),
      plan: plan.id,
      discountPercent,
      reportedByProvider: isReportPlausible,
    },
  }
}
