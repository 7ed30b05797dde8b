import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPlanLimits } from '../../../gateway/spend/account.ts'
import { MAX_PER_MILLION, type Pricing } from '../../../shared/api/models.ts'
import type { Estimate } from '../../../shared/api/pricing.ts'
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

const mix = (monthlyInputTokens: number, monthlyOutputTokens: number) => ({
  ...{ model: 'm', monthlyInputTokens, monthlyOutputTokens },
})

/** USD per million: 3 and 15, nothing, and the same for both. */
const [DEAR, FREE, FLAT] = [
  { inputPerMillion: 3, outputPerMillion: 15 },
  { inputPerMillion: 0, outputPerMillion: 0 },
  { inputPerMillion: 1, outputPerMillion: 1 },
]

test.each<[string, ReturnType<typeof mix>, Pricing, object]>([
  ['a low volume', mix(1e6, 1e5), DEAR, { plan: 'pay-as-you-go', listCostUsd: 4.5 }],
  [
    'a high volume',
    mix(1e9, 1e8),
    DEAR,
    {
      ...{ plan: 'bundle', monthlyCostUsd: 99 + 4500 * 0.8, perMillionIn: 2.4, perMillionOut: 12 },
      ...{ breakEvenSavingsUsd: 4500 - (99 + 4500 * 0.8), listCostUsd: 4500 },
      plans: [
        { plan: 'pay-as-you-go', planFeeUsd: 0, monthlyCostUsd: 4500, perMillionIn: 3, perMillionOut: 15 },
        { plan: 'bundle', planFeeUsd: 99, monthlyCostUsd: 3699, perMillionIn: 2.4, perMillionOut: 12 },
      ],
    },
  ],
  // 99 / (the average price of a token of the mix × 0.20)
  [
    'a mix',
    mix(3e6, 1e6),
    DEAR,
    { breakEvenTokens: expect.closeTo(99 / (((3 * 3 + 15) / 4 / 1e6) * 0.2), 3) },
  ],
  [
    'a free model',
    mix(1e9, 1e9),
    FREE,
    { plan: 'pay-as-you-go', monthlyCostUsd: 0, breakEvenTokens: null, breakEvenSavingsUsd: -99 },
  ],
  ['equal costs', mix(495_000_000, 0), FLAT, { plan: 'pay-as-you-go', monthlyCostUsd: 495 }],
])('recommends a plan at %s', (_, work, prices, expected) => {
  expect(estimate(work, prices, plans)).toMatchObject(expected)
})

const price = fc.double({ min: 0, max: MAX_PER_MILLION, noNaN: true })
const anyPricing: fc.Arbitrary<Pricing> = fc.record({ inputPerMillion: price, outputPerMillion: price })
const tokens = fc.integer({ min: 0, max: 1e15 })
const under = (made: Estimate, plan: string) =>
  made.plans.find((row) => row.plan === plan)?.monthlyCostUsd ?? Number.NaN
/** Costs are rounded to the nano-dollar; doubles of large sums are exact to one part in 10^12. */
const slack = (usd: number) => 1e-8 + Math.abs(usd) * 1e-12

test('no plan is cheaper than the recommended one', () => {
  fc.assert(
    fc.property(tokens, tokens, anyPricing, (input, output, prices) => {
      const made = estimate(mix(input, output), prices, plans)
      for (const row of made.plans) expect(made.monthlyCostUsd).toBeLessThanOrEqual(row.monthlyCostUsd)
      expect(made.monthlyCostUsd).toBe(under(made, made.plan))
    }),
    { numRuns: 2_000 },
  )
})

test('at breakEvenTokens of the same mix both plans cost the same', () => {
  const share = fc.integer({ min: 0, max: 100 })
  const real = fc.record({
    inputPerMillion: fc.double({ min: 0.01, max: 600, noNaN: true }),
    outputPerMillion: fc.double({ min: 0.01, max: 600, noNaN: true }),
  })
  fc.assert(
    fc.property(share, real, (percent, prices) => {
      const even = estimate(mix(percent * 1000, (100 - percent) * 1000), prices, plans)
      const volume = even.breakEvenTokens ?? Number.NaN
      const input = Math.round((volume * percent) / 100)
      const made = estimate(mix(input, Math.round(volume - input)), prices, plans)
      // Whole tokens can be one off on either side, and rates are rounded to the nano-dollar per million.
      const oneToken = (prices.inputPerMillion + prices.outputPerMillion) / 1e6
      const rates = (volume / 1e6) * 1e-9
      expect(Math.abs(made.breakEvenSavingsUsd)).toBeLessThanOrEqual(oneToken + rates + 1e-6)
    }),
    { numRuns: 2_000 },
  )
})

test('the cost increases with volume under every plan', () => {
  fc.assert(
    fc.property(tokens, tokens, tokens, anyPricing, (a, b, output, prices) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      const small = estimate(mix(less, output), prices, plans)
      const large = estimate(mix(more, output), prices, plans)
      for (const { id } of plans)
        expect(under(small, id)).toBeLessThanOrEqual(under(large, id) + slack(under(large, id)))
      expect(small.monthlyCostUsd).toBeLessThanOrEqual(large.monthlyCostUsd + slack(large.monthlyCostUsd))
    }),
    { numRuns: 2_000 },
  )
})

test('breakEvenSavingsUsd is the pay-as-you-go cost minus the bundle cost', () => {
  fc.assert(
    fc.property(tokens, tokens, anyPricing, (input, output, prices) => {
      const made = estimate(mix(input, output), prices, plans)
      const difference = under(made, 'pay-as-you-go') - under(made, 'bundle')
      expect(Math.abs(made.breakEvenSavingsUsd - difference)).toBeLessThanOrEqual(slack(difference))
      expect(made.breakEvenSavingsUsd > slack(difference)).toBe(
        made.plan === 'bundle' && difference > slack(difference),
      )
    }),
    { numRuns: 2_000 },
  )
})
