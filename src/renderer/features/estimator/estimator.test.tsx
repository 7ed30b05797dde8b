import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Estimate, EstimateRequest } from '../../../shared/api/pricing.ts'
import { FakeGateway, modelList, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow, modelRow, usageRow } from '../../testing/rows.ts'
import { Estimator } from './estimator.tsx'

let gateway: FakeGateway

function priced(id: string, perMillion: number, part = {}) {
  return modelRow(id, { pricing: { inputPerMillion: perMillion, outputPerMillion: perMillion }, ...part })
}

const sandbox = priced('sandbox-small', 0.5, { provider: 'sandbox', providers: ['sandbox'] })

/** Large was used: 4M tokens in, half of them cached, and 1M out, for $9.00. */
beforeEach(() => {
  const used = {
    requests: 100,
    tokensIn: 4_000_000,
    tokensOut: 1_000_000,
    tokensCached: 2_000_000,
    costUsd: 9,
  }
  const embedding = modelRow('embedding', { capabilities: ['embeddings'] })
  gateway = new FakeGateway()
    .on('listModels', () =>
      modelList([
        priced('medium', 1),
        priced('large', 2, { capabilities: ['vision', 'tools'] }),
        priced('small', 0.1, { contextWindow: 8_000 }),
        priced('local', 0),
        modelRow('unknown', { pricing: null }),
        sandbox,
        embedding,
      ]),
    )
    .on('listKeys', () => ({ data: [keyRow('key_1', { name: 'SDK' }), keyRow('key_2', { name: 'Editor' })] }))
    .on('getUsage', ({ query }) =>
      query.key === 'key_2'
        ? usage(query, [])
        : usage(query, [usageRow('large', used), usageRow('embedding', { tokensIn: 5e9 })]),
    )
    .on('estimateCost', ({ body }) => estimate(body as EstimateRequest))
})

function estimate({ monthlyInputTokens, monthlyOutputTokens }: EstimateRequest): Estimate {
  const cost = (monthlyInputTokens + monthlyOutputTokens) / 1e6
  const prices = { perMillionIn: 1, perMillionOut: 1 }
  return {
    plan: 'pay-as-you-go',
    monthlyCostUsd: cost,
    ...prices,
    breakEvenPlan: 'bundle',
    breakEvenSavingsUsd: -90,
    breakEvenTokens: 495_000_000,
    listCostUsd: cost,
    plans: [
      { plan: 'pay-as-you-go', monthlyCostUsd: cost, planFeeUsd: 0, ...prices },
      { plan: 'bundle', monthlyCostUsd: cost + 90, planFeeUsd: 99, ...prices },
    ],
  }
}

async function renderEstimator(path = '/estimator') {
  const view = renderView(<Estimator />, { gateway, path })
  await screen.findByRole('table')
  return view
}

const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getByRole('rowheader').textContent)
const row = (name: RegExp) => screen.getByRole('row', { name })
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })

test('the sandbox, whose prices are examples, is listed only where no other model has a price', async () => {
  gateway.on('listModels', () => modelList([modelRow('unknown', { pricing: null }), sandbox]))
  await renderEstimator()
  expect(rows()).toContain('sandbox-smallsandbox')
})

test('it opens with the use of the last 30 days, all models by cost, and what each would save', async () => {
  await renderEstimator()
  expect(
    screen.getByText(/Your last 30 days: 100 requests, 4,000,000 input and 1,000,000 output/),
  ).toBeDefined()
  expect(field('Input tokens').value).toBe('4,000,000')
  expect(field('Read from cache').value).toBe('50%')
  expect(rows()).toEqual([
    'localopenai',
    'smallopenai',
    'mediumopenai',
    'Recorded in the last 30 days',
    'largeopenaiIn use, 100%',
  ])
  expect(row(/^medium/).textContent).toContain('$5.00$4.0044%')
  expect(row(/^local/).textContent).toContain('Free')
  expect(row(/^large/).textContent).toContain('$10.00−$1.00−11%')
  expect(
    within(row(/^medium/))
      .getByRole('link')
      .getAttribute('href'),
  ).toBe('/models?edit=medium')
})

test('without use it shows an example, and says so', async () => {
  gateway.on('getUsage', ({ query }) => usage(query, []))
  await renderEstimator()
  expect(screen.getByText('An example. No tokens were used in the last 30 days.')).toBeDefined()
  expect(field('Input tokens').value).toBe('10,000,000')
  expect(row(/^medium/).textContent).toContain('$12.00')
  expect(screen.queryByRole('columnheader', { name: 'Saving' })).toBeNull()
  expect(screen.getByRole('button', { name: 'Use last 30 days' })).toHaveProperty('disabled', true)
})

test('numbers are entered, kept in the address, and replaced by the last 30 days again', async () => {
  const { user, history } = await renderEstimator()
  await user.clear(field('Output tokens'))
  await user.type(field('Output tokens'), '16,000,000')
  await waitFor(() => expect(row(/^medium/).textContent).toContain('$20.00'))
  expect(screen.queryByRole('columnheader', { name: 'Saving' })).toBeNull()
  expect(new URLSearchParams(history.at(-1)?.split('?')[1]).get('out')).toBe('16000000')
  await user.click(screen.getByRole('button', { name: 'Use last 30 days' }))
  await waitFor(() => expect(row(/^medium/).textContent).toContain('$5.00'))
  await user.type(field('Read from cache'), 'x')
  expect(screen.getByText('Enter a percentage from 0 to 100.')).toBeDefined()
})

test('a workload can be entered as requests', async () => {
  const { user } = await renderEstimator()
  await user.click(screen.getByRole('radio', { name: 'Requests × tokens' }))
  expect(field('Requests per month').value).toBe('100')
  expect(field('Input per request').value).toBe('40,000')
  expect(row(/^Recorded in the last 30 days/)).toBeDefined()
  expect(row(/^medium/).textContent).toContain('$5.00')
  await user.clear(field('Requests per month'))
  await user.type(field('Requests per month'), '200')
  await waitFor(() => expect(row(/^medium/).textContent).toContain('$10.00'))
})

test('the use of one key can be taken', async () => {
  const { user } = await renderEstimator()
  await user.click(screen.getByRole('combobox', { name: 'Usage of' }))
  await user.click(await screen.findByRole('option', { name: 'Editor' }))
  expect(
    await screen.findByText('An example. No tokens were used in the last 30 days with this key.'),
  ).toBeDefined()
  expect(gateway.listCalls('getUsage').at(-1)?.query).toMatchObject({ groupBy: 'model', key: 'key_2' })
})

test('models are sorted, searched and filtered', async () => {
  const { user } = await renderEstimator()
  await user.click(screen.getByRole('button', { name: 'Estimated per month' }))
  expect(rows()).toEqual([
    'largeopenaiIn use, 100%',
    'Recorded in the last 30 days',
    'mediumopenai',
    'smallopenai',
    'localopenai',
  ])
  await user.click(screen.getByRole('button', { name: 'Model' }))
  expect(rows()).toEqual(['largeopenaiIn use, 100%', 'localopenai', 'mediumopenai', 'smallopenai'])
  await user.click(screen.getByRole('checkbox', { name: 'Vision' }))
  expect(rows()).toEqual(['largeopenaiIn use, 100%'])
  await user.type(screen.getByRole('searchbox', { name: 'Search models' }), 'small')
  expect(screen.getByText('No models match these filters.')).toBeDefined()
})

test('plans are compared once their section is opened', async () => {
  const { user } = await renderEstimator()
  expect(gateway.listCalls('estimateCost')).toEqual([])
  await user.click(screen.getByText('Plans and break-even'))
  expect(await screen.findByText(/Bundle pays off from 495M tokens per month/)).toBeDefined()
  expect(screen.getByRole('row', { name: /^Bundle/ }).textContent).toBe('Bundle$99.00−$4.00$95.00')
  expect(gateway.listCalls('estimateCost').map(({ body }) => body)).toEqual([
    { model: 'large', monthlyInputTokens: 4e6, monthlyOutputTokens: 1e6, cachedInputShare: 0.5 },
  ])
})
