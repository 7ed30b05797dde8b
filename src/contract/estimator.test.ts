import { expect } from 'vitest'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Estimator')

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
