// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Estimate, EstimateRequest } from '../../../shared/pricing.ts'
import { FakeError, FakeGateway, modelList, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { modelRow, usageRow } from '../../testing/rows.ts'
import { Estimator } from './estimator.tsx'

const today = new Date().toISOString().slice(0, 10)
let gateway: FakeGateway

/** One dollar per million tokens, and twice as much for the large model. */
function estimate({ model, monthlyInputTokens, monthlyOutputTokens }: EstimateRequest): Estimate {
  const perMillion = model === 'large' ? 2 : 1
  const cost = ((monthlyInputTokens + monthlyOutputTokens) * perMillion) / 1e6
  const prices = { perMillionIn: perMillion, perMillionOut: perMillion }
  return {
    plan: 'pay-as-you-go',
    monthlyCostUsd: cost,
    ...prices,
    breakEvenPlan: 'bundle',
    breakEvenSavingsUsd: -90,
    breakEvenTokens: 495_000_000,
    listCostUsd: cost + 1,
    plans: [
      { plan: 'pay-as-you-go', monthlyCostUsd: cost, planFeeUsd: 0, ...prices },
      { plan: 'bundle', monthlyCostUsd: cost + 90, planFeeUsd: 99, ...prices },
    ],
  }
}

beforeEach(() => {
  gateway = new FakeGateway()
    .on('listModels', () =>
      modelList([modelRow('small'), modelRow('large'), modelRow('free', { pricing: null })]),
    )
    .on('estimateCost', ({ body }) => estimate(body as EstimateRequest))
    .on('getUsage', ({ query }) =>
      usage(query, [
        usageRow(today, { split: 'large', splitLabel: 'large', tokensIn: 3_000_000, tokensOut: 500_000 }),
      ]),
    )
})

const model = (id: string) => screen.findByRole('listitem', { name: id })

test('the models in use are compared first, the cheapest marked', async () => {
  renderView(<Estimator />, { gateway, path: '/estimator' })
  await within(await model('large')).findByText('$24.00')
  expect(within(await model('small')).getByText('$12.00')).toBeDefined()
  expect(within(await model('small')).getByText('Cheapest')).toBeDefined()
  expect(screen.queryByRole('listitem', { name: 'free' })).toBeNull()
})

test('“Use my last 30 days” fills in what was used', async () => {
  const { user, history } = renderView(<Estimator />, { gateway, path: '/estimator' })
  await within(await model('large')).findByText('$24.00')
  await user.click(screen.getByRole('button', { name: 'Use my last 30 days' }))
  await within(await model('large')).findByText('$7.00')
  expect(screen.getByLabelText<HTMLInputElement>('Input tokens, exactly').value).toBe('3,000,000')
  expect(screen.getByLabelText<HTMLInputElement>('Output tokens, exactly').value).toBe('500,000')
  expect(new URLSearchParams(history.at(-1)?.split('?')[1]).get('in')).toBe('3000000')
})

test('without use in the last 30 days, the button is disabled', async () => {
  gateway.on('getUsage', ({ query }) => usage(query, []))
  renderView(<Estimator />, { gateway, path: '/estimator' })
  await screen.findByText('No tokens were used in the last 30 days.')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Use my last 30 days' }).disabled).toBe(true)
})

test('while new estimates are requested, the last ones stay', async () => {
  const { user } = renderView(<Estimator />, { gateway, path: '/estimator?in=1000000&out=0&model=small' })
  await within(await model('small')).findByText('$1.00')
  const { answer } = gateway.hold('estimateCost')
  await user.type(screen.getByLabelText('Input tokens, exactly'), '0')
  await waitFor(() => expect(gateway.callsOf('estimateCost')).toHaveLength(2))
  expect(within(await model('small')).getByText('$1.00')).toBeDefined()
  answer(estimate({ model: 'small', monthlyInputTokens: 10_000_000, monthlyOutputTokens: 0 }))
  await within(await model('small')).findByText('$10.00')
})

test('a model that cannot be estimated shows the reason, and the others are estimated', async () => {
  gateway.on('estimateCost', ({ body }) => {
    const request = body as EstimateRequest
    if (request.model === 'small') throw new FakeError(404, 'No such model.')
    return estimate(request)
  })
  renderView(<Estimator />, { gateway, path: '/estimator' })
  await within(await model('small')).findByText('No such model.')
  expect(within(await model('large')).getByText('$24.00')).toBeDefined()
})
