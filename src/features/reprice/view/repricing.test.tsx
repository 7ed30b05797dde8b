import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { Estimator } from '../../../renderer/features/estimator/estimator.tsx'
import { FakeGateway, modelList, usage } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { keyRow, modelRow, usageRow } from '../../../renderer/testing/rows.ts'
import type { RepricedModel, Repricing } from '../api/repricing.ts'

const ORIGIN = { source: 'database', match: 'exact', asOf: null } as const

function repriced(model: string, part: Partial<RepricedModel> = {}): RepricedModel {
  return {
    ...{ model, provider: 'openai', priceOrigin: ORIGIN, cachePriced: true, limitsKnown: true },
    ...{ requests: 100, served: 100, chargedUsd: 212, costUsd: 212, uncachedUsd: 212 },
    ...{ obstacles: [], unchecked: 0, converted: 0 },
    ...part,
  }
}

const SMALL = repriced('small', {
  ...{ served: 96, chargedUsd: 200, costUsd: 48, uncachedUsd: 60, unchecked: 5, converted: 7 },
  obstacles: [
    { reason: 'context', requests: 1 },
    { reason: 'tools', requests: 3 },
  ],
})
const PART = { requests: 60, served: 58, chargedUsd: 120, costUsd: 30, uncachedUsd: 40 }
const REPRICING: Repricing = {
  ...{ requests: 100, chargedUsd: 212, estimated: 2, unchecked: 5, unpriced: 4 },
  others: { requests: 9, chargedUsd: 1.5 },
  data: [SMALL, repriced('large'), repriced('useless', { served: 0, chargedUsd: 0, costUsd: 0 })],
}

let gateway: FakeGateway

beforeEach(() => {
  gateway = new FakeGateway()
    .on('listModels', () => modelList([modelRow('small'), modelRow('large')]))
    .on('listKeys', () => ({ data: [keyRow('key_1', { name: 'Agents', tag: 'shop' })] }))
    .on('getUsage', ({ query }) => usage(query, [usageRow('small'), usageRow('large')]))
    .on('getRepricing', ({ query }) =>
      query.candidate
        ? {
            ...REPRICING,
            data: [
              {
                ...(REPRICING.data.find(({ model }) => model === query.candidate) ?? SMALL),
                byKey: [{ ...PART, group: 'key_1', label: 'Agents' }],
                byClient: [{ ...PART, group: 'claude-cli', label: 'claude-cli' }],
              },
            ],
          }
        : REPRICING,
    )
})

const recorded = () => renderView(<Estimator />, { gateway, path: '/estimator?view=recorded' })
const heading = (name: RegExp) => screen.findByRole('heading', { name })

test('the answer is one sentence, with what could not be served and why it is not exact', async () => {
  recorded()
  expect((await heading(/^On small/)).textContent).toBe('On small: $48.00 instead of $200.00')
  expect(screen.getByText(/for 96% of the requests \(96 of 100\)/).textContent).toContain(
    'It saves $152.00 (76%).',
  )
  const [obstacles] = screen.getAllByRole('list')
  expect(
    within(obstacles ?? document.body)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['3have tools, which it cannot call', '1do not fit into its context window'])
  for (const note of [
    /between \$48\.00 and \$60\.00/,
    /5 requests may have had images, tools or JSON/,
    /The tokens of 7 requests are converted/,
    /2 requests of 100 have estimated/,
    /Left out: 4 requests whose cost is unknown/,
    /Left out: 9 requests that are no chats .* for \$1\.50/,
  ])
    expect(screen.getByText(note)).toBeDefined()
})

test('models of another class are listed when they are wanted, and small differences are not called savings', async () => {
  gateway.on('getRepricing', () => ({
    ...REPRICING,
    data: [
      repriced('tiny', { costUsd: 2 }),
      repriced('unknown', { costUsd: 100, limitsKnown: false }),
      repriced('similar', { costUsd: 205 }),
    ],
  }))
  const { user, history } = recorded()
  expect((await heading(/^On similar/)).textContent).toBe('On similar: $205.00 instead of $212.00')
  expect(screen.getByText(/It costs about the same/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'tiny' })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'All models' }))
  expect(await screen.findByRole('button', { name: 'tiny' })).toBeDefined()
  expect(history.at(-1)).toContain('models=all')
})

test('it is divided by key and tool, and another model can be chosen', async () => {
  const { user, history } = recorded()
  const cell = await screen.findByRole('rowheader', { name: 'Agents' })
  expect(cell.closest('tr')?.textContent).toContain('97%$120.00$30.00$90.0075%')
  await user.click(screen.getByRole('radio', { name: 'Tool' }))
  expect(screen.getByRole('rowheader', { name: 'Claude Code' })).toBeDefined()
  expect(screen.queryByRole('button', { name: 'useless' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'large' }))
  expect((await heading(/^On large/)).textContent).toBe('On large: $212.00 instead of $212.00')
  expect(screen.getByText(/It costs the same/)).toBeDefined()
  expect(history.at(-1)).toContain('on=large')
})

test('filters are sent and kept in the address', async () => {
  const { user, history } = recorded()
  await heading(/^On small/)
  await user.click(screen.getByRole('combobox', { name: 'Project' }))
  await user.click(await screen.findByRole('option', { name: 'shop' }))
  await waitFor(() =>
    expect(gateway.listCalls('getRepricing').some(({ query }) => query.tag === 'shop')).toBe(true),
  )
  expect(history.at(-1)).toContain('tag=shop')
})

test('without requests it says so', async () => {
  gateway
    .on('getRepricing', () => ({ ...REPRICING, requests: 0, data: [] }))
    .on('listKeys', () => ({ data: [keyRow('key_1', { lastUsedAt: '2026-05-01T09:00:00.000Z' })] }))
  const { user, history } = recorded()
  expect(await screen.findByText('No chats with a known cost in this period')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Show the last 12 months' }))
  expect(history.at(-1)).toContain('range=12m')
})
