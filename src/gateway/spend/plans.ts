// The account's plan decides the discount and the rate limits.
import type { Plan, PlanId, PlanLimits } from '../../shared/account.ts'

const plans: readonly Plan[] = [
  {
    id: 'pay-as-you-go',
    name: 'Pay as you go',
    monthlyUsd: 0,
    discountPercent: 0,
    requestsPerMinute: 3_000,
    tokensPerMinute: 10_000_000,
  },
  {
    id: 'bundle',
    name: 'Bundle',
    monthlyUsd: 99,
    discountPercent: 20,
    requestsPerMinute: 10_000,
    tokensPerMinute: 30_000_000,
  },
]

/** The plans with the user's own rate limits. */
export function applyPlanLimits(limits: PlanLimits): Plan[] {
  return plans.map((plan) => {
    const { requestsPerMinute = plan.requestsPerMinute, tokensPerMinute = plan.tokensPerMinute } =
      limits[plan.id] ?? {}
    return { ...plan, requestsPerMinute, tokensPerMinute }
  })
}

export function planById(id: PlanId, limits: PlanLimits): Plan {
  const plan = applyPlanLimits(limits).find((candidate) => candidate.id === id)
  if (!plan) throw new RangeError(`no such plan: ${id}`)
  return plan
}
