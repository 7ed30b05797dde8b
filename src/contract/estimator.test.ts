import fc from 'fast-check'
import { expect } from 'vitest'
import { estimate } from '../gateway/features/estimator/estimate.ts'
import { applyPlanLimits } from '../gateway/spend/account.ts'
import { MAX_PER_MILLION, type Pricing } from '../shared/api/models.ts'
import type { Estimate } from '../shared/api/pricing.ts'
import { shareProgram } from './testing/program.ts'
import { testSection } from './testing/rule.ts'

const test = testSection('Estimator')

const tollgate = await shareProgram()

const workload = (monthlyInputTokens: number, monthlyOutputTokens: number, model = 'sandbox-large') => ({
  model,
  monthlyInputTokens,
  monthlyOutputTokens,
})
const ask = (body: unknown) => tollgate.call('POST', '/v1/pricing/estimate', { body })

test('An estimate has the documented fields; pay-as-you-go is recommended at a low volume', async () => {
  const { status, json } = await ask(workload(1_000_000, 100_000))
  expect(status).toBe(200)
  expect(json).toMatchObject({
    plan: 'pay-as-you-go',
    monthlyCostUsd: 4.5,
    perMillionIn: 3,
    perMillionOut: 15,
    breakEvenPlan: 'bundle',
    breakEvenSavingsUsd: 4.5 - (99 + 4.5 * 0.8),
  })
})

test('The bundle is recommended at a high volume: 99 USD per month and 20% discount', async () => {
  const { json } = await ask(workload(1e9, 1e8))
  expect(json).toMatchObject({
    plan: 'bundle',
    monthlyCostUsd: 99 + 4500 * 0.8,
    perMillionIn: 2.4,
    perMillionOut: 12,
    breakEvenSavingsUsd: 4500 - (99 + 4500 * 0.8),
    listCostUsd: 4500,
  })
})

test('break_even_tokens = 99 / (average list price per token of the mix × 0.20)', async () => {
  const { json } = await ask(workload(3_000_000, 1_000_000))
  const average = (3 * 3 + 1 * 15) / 4 / 1e6
  expect(json.breakEvenTokens).toBeCloseTo(99 / (average * 0.2), 3)
})

test('breakEvenTokens, listCostUsd and plans[] with a row per plan', async () => {
  const { json } = await ask(workload(1e9, 1e8))
  expect(json.plans).toEqual([
    { plan: 'pay-as-you-go', planFeeUsd: 0, monthlyCostUsd: 4500, perMillionIn: 3, perMillionOut: 15 },
    { plan: 'bundle', planFeeUsd: 99, monthlyCostUsd: 3699, perMillionIn: 2.4, perMillionOut: 12 },
  ])
})

test('breakEvenTokens is null when the price is zero', async () => {
  await tollgate.call('PUT', '/v1/models/sandbox-small', {
    body: { pricing: { inputPerMillion: 0, outputPerMillion: 0 } },
  })
  const { json } = await ask(workload(1e9, 1e9, 'sandbox-small'))
  expect(json).toMatchObject({
    plan: 'pay-as-you-go',
    monthlyCostUsd: 0,
    breakEvenTokens: null,
    breakEvenSavingsUsd: -99,
  })
  await tollgate.call('DELETE', '/v1/models/sandbox-small')
})

test('Equal costs recommend pay-as-you-go', async () => {
  await tollgate.call('PUT', '/v1/models/sandbox-small', {
    body: { pricing: { inputPerMillion: 1, outputPerMillion: 1 } },
  })
  const { json } = await ask(workload(495_000_000, 0, 'sandbox-small'))
  expect(json.plans.map(({ monthlyCostUsd }: { monthlyCostUsd: number }) => monthlyCostUsd)).toEqual([
    495, 495,
  ])
  expect(json.plan).toBe('pay-as-you-go')
  await tollgate.call('DELETE', '/v1/models/sandbox-small')
})

test('All three fields are required; token counts are integers from 0 to 1e15', async () => {
  const good = workload(1, 1)
  for (const [body, param] of [
    [{ ...good, model: undefined }, 'model'],
    [{ ...good, monthlyInputTokens: undefined }, 'monthlyInputTokens'],
    [{ ...good, monthlyOutputTokens: undefined }, 'monthlyOutputTokens'],
    [{ ...good, monthlyInputTokens: -1 }, 'monthlyInputTokens'],
    [{ ...good, monthlyInputTokens: 1.5 }, 'monthlyInputTokens'],
    [{ ...good, monthlyOutputTokens: '5' }, 'monthlyOutputTokens'],
    [{ ...good, monthlyOutputTokens: 1e15 + 1 }, 'monthlyOutputTokens'],
    [{ ...good, months: 2 }, 'months'],
  ] as const) {
    const { status, json } = await ask(body)
    expect([body, status, json.error?.param]).toEqual([body, 400, param])
  }
  for (const body of [workload(0, 0), workload(1e15, 1e15)]) expect((await ask(body)).status).toBe(200)
})

test('An unknown model is 404', async () => {
  const { status, json } = await ask(workload(1, 1, 'no-such-model'))
  expect([status, json.error.type]).toEqual([404, 'not_found_error'])
})

const plans = applyPlanLimits({})
const price = fc.double({ min: 0, max: MAX_PER_MILLION, noNaN: true })
const pricing: fc.Arbitrary<Pricing> = fc.record({ inputPerMillion: price, outputPerMillion: price })
const tokens = fc.integer({ min: 0, max: 1e15 })
const under = (made: Estimate, plan: string) =>
  made.plans.find((row) => row.plan === plan)?.monthlyCostUsd ?? Number.NaN
/** Costs are rounded to the nano-dollar; doubles of large sums are exact to one part in 10^12. */
const slack = (usd: number) => 1e-8 + Math.abs(usd) * 1e-12

test('Property: no plan is cheaper than the recommended one', () => {
  fc.assert(
    fc.property(tokens, tokens, pricing, (input, output, prices) => {
      const made = estimate(workload(input, output), prices, plans)
      for (const row of made.plans) expect(made.monthlyCostUsd).toBeLessThanOrEqual(row.monthlyCostUsd)
      expect(made.monthlyCostUsd).toBe(under(made, made.plan))
    }),
    { numRuns: 2_000 },
  )
})

test('Property: at breakEvenTokens of the same mix both plans cost the same', () => {
  const share = fc.integer({ min: 0, max: 100 })
  const real = fc.record({
    inputPerMillion: fc.double({ min: 0.01, max: 600, noNaN: true }),
    outputPerMillion: fc.double({ min: 0.01, max: 600, noNaN: true }),
  })
  fc.assert(
    fc.property(share, real, (percent, prices) => {
      const mix = estimate(workload(percent * 1000, (100 - percent) * 1000), prices, plans)
      const volume = mix.breakEvenTokens ?? Number.NaN
      const input = Math.round((volume * percent) / 100)
      const made = estimate(workload(input, Math.round(volume - input)), prices, plans)
      // Whole tokens can be one off on either side, and rates are rounded to the nano-dollar per million.
      const oneToken = (prices.inputPerMillion + prices.outputPerMillion) / 1e6
      const rates = (volume / 1e6) * 1e-9
      expect(Math.abs(made.breakEvenSavingsUsd)).toBeLessThanOrEqual(oneToken + rates + 1e-6)
    }),
    { numRuns: 2_000 },
  )
})

test('Property: the cost increases with volume under every plan', () => {
  fc.assert(
    fc.property(tokens, tokens, tokens, pricing, (a, b, output, prices) => {
      const [less, more] = [Math.min(a, b), Math.max(a, b)]
      const small = estimate(workload(less, output), prices, plans)
      const large = estimate(workload(more, output), prices, plans)
      for (const { id } of plans)
        expect(under(small, id)).toBeLessThanOrEqual(under(large, id) + slack(under(large, id)))
      expect(small.monthlyCostUsd).toBeLessThanOrEqual(large.monthlyCostUsd + slack(large.monthlyCostUsd))
    }),
    { numRuns: 2_000 },
  )
})

test('Property: breakEvenSavingsUsd is the pay-as-you-go cost minus the bundle cost', () => {
  fc.assert(
    fc.property(tokens, tokens, pricing, (input, output, prices) => {
      const made = estimate(workload(input, output), prices, plans)
      const difference = under(made, 'pay-as-you-go') - under(made, 'bundle')
      expect(Math.abs(made.breakEvenSavingsUsd - difference)).toBeLessThanOrEqual(slack(difference))
      expect(made.breakEvenSavingsUsd > slack(difference)).toBe(
        made.plan === 'bundle' && difference > slack(difference),
      )
    }),
    { numRuns: 2_000 },
  )
})
