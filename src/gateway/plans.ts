// Owns the plans: rows of data. The account's plan prices every request and bounds its rate.
import type { Plan, PlanId } from '../shared/account.ts'

export const plans: readonly Plan[] = [
  {
    id: 'pay-as-you-go',
    name: 'Pay as you go',
    monthlyUsd: 0,
    discountPercent: 0,
    requestsPerMinute: 600,
    tokensPerMinute: 1_000_000,
  },
  {
    id: 'bundle',
    name: 'Bundle',
    monthlyUsd: 99,
    discountPercent: 20,
    requestsPerMinute: 3_000,
    tokensPerMinute: 5_000_000,
  },
]

export function planById(id: PlanId): Plan {
  const plan = plans.find((candidate) => candidate.id === id)
  if (!plan) throw new RangeError(`no such plan: ${id}`)
  return plan
}
