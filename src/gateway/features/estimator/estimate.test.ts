import { expect, test } from 'vitest'
import { applyPlanLimits } from '../../spend/account.ts'
import { estimate } from './estimate.ts'

const plans = applyPlanLimits({})
const pricing = {
  inputPerMillion: 2,
  outputPerMillion: 10,
  cacheReadPerMillion: 0.2,
  tierFactors: { flex: 0.5 },
}
const workload = { model: 'm', monthlyInputTokens: 10_000_000, monthlyOutputTokens: 1_000_000 }

test('prices a share of the input as read from the cache', () => {
  // 10 × 2 + 1 × 10
  expect(estimate(workload, pricing, plans).listCostUsd).toBe(30)
  // 2.5 × 2 + 7.5 × 0.2 + 1 × 10
  const cached = estimate({ ...workload, cachedInputShare: 0.75 }, pricing, plans)
  expect(cached).toMatchObject({ listCostUsd: 16.5, perMillionIn: 0.65, perMillionOut: 10 })
})

test('prices the workload in another tier', () => {
  const flex = estimate({ ...workload, cachedInputShare: 0.75, serviceTier: 'flex' }, pricing, plans)
  expect(flex).toMatchObject({ listCostUsd: 8.25, perMillionIn: 0.325, perMillionOut: 5 })
})
