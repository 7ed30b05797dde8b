import { expect, test } from 'vitest'
import type { Estimate } from '../../../shared/api/pricing.ts'
import { breakEvenLines } from './plans-section.tsx'

const estimate: Estimate = {
  plan: 'pay-as-you-go',
  monthlyCostUsd: 4,
  perMillionIn: 1,
  perMillionOut: 2,
  breakEvenPlan: 'bundle',
  breakEvenSavingsUsd: -98,
  breakEvenTokens: 99 / ((4 / 3 / 1e6) * 0.2),
  listCostUsd: 4,
  plans: [
    { plan: 'pay-as-you-go', monthlyCostUsd: 4, planFeeUsd: 0, perMillionIn: 1, perMillionOut: 2 },
    { plan: 'bundle', monthlyCostUsd: 102.2, planFeeUsd: 99, perMillionIn: 0.8, perMillionOut: 1.6 },
  ],
}

test('the lines of the plans cross at the break-even of the estimate', () => {
  const { points } = breakEvenLines(estimate, 2_000_000, 1_000_000)
  const [from, to] = points
  if (!from || !to) throw new Error('two points make a line')
  const at = (plan: number) => {
    const [a = 0, b = 0] = [from.usd[plan], to.usd[plan]]
    return a + ((b - a) * (estimate.breakEvenTokens ?? 0)) / to.tokens
  }
  expect(at(0)).toBeCloseTo(at(1), 6)
})

test('the chart reaches past the workload', () => {
  const { points } = breakEvenLines(estimate, 1e12, 0)
  expect(points[1]?.tokens).toBeGreaterThan(1e12)
})
