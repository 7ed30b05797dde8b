import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { RepricedModel, Repricing } from '../../../../shared/api/repricing.ts'
import { FakeGateway, modelList, usage } from '../../../testing/fake-gateway.ts'
import { renderView } from '../../../testing/render.tsx'
import { keyRow, modelRow, requestRow, storedBodies, usageRow } from '../../../testing/rows.ts'
import { Estimator } from '../estimator.tsx'
import { chooseTypical } from './request-choice.tsx'

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
                byModel: [{ ...PART, group: 'large', label: 'large' }],
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
  expect(screen.getByText(/^Not judged for quality/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'tiny' })).toBeNull()
  await user.click(screen.getByRole('radio', { name: 'All models' }))
  expect(await screen.findByRole('button', { name: 'tiny' })).toBeDefined()
  expect(history.at(-1)).toContain('models=all')
})

test('it is divided by key, tool and model, and another model can be chosen', async () => {
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
  expect(screen.getByRole('link', { name: 'Try it' }).getAttribute('href')).toMatch(
    /view=replay.*tag=shop.*on=large&on=small/,
  )
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

const stored = requestRow('req_1', 1, {
  ...{ model: 'large', endpoint: 'POST /v1/messages', bodiesKept: true },
})
const bodies = storedBodies({ messages: [{ role: 'user', content: 'Weather in Rome?' }] })

test('a stored request is replayed on two models, with the cost before and after', async () => {
  gateway
    .on('listRequests', () => ({
      data: [
        stored,
        requestRow('req_2', 2),
        requestRow('req_3', 3, { bodiesKept: true, endpoint: 'POST /v1/embeddings' }),
      ],
      nextCursor: null,
    }))
    .on('getRequest', () => stored)
    .on('getRequestBodies', () => bodies)
    .on('getRepricing', () => ({
      ...REPRICING,
      data: [
        repriced('large', { requests: 1, served: 1, uncachedUsd: 0.02 }),
        repriced('small', { requests: 1, served: 0, obstacles: [{ reason: 'tools', requests: 1 }] }),
      ],
    }))
    .onReplay(({ model }) =>
      model === 'large'
        ? { text: 'Sunny', costUsd: 0.02 }
        : { toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Rome"}' }], costUsd: 0.01 },
    )
  const { user, history } = renderView(<Estimator />, {
    gateway,
    path: '/estimator?view=replay&on=&on=small',
  })
  expect(await screen.findByText(/Likely about \$0\.02/)).toBeDefined()
  expect(await screen.findByText(/Cost unknown/)).toBeDefined()
  expect(screen.getByText(/have tools, which it cannot call/)).toBeDefined()
  // Only the one whose prompt is stored, and is a chat.
  expect(await screen.findAllByRole('checkbox', { name: /^Weather in Rome\?/ })).toHaveLength(1)
  expect(history.at(-1)).toContain('request=req_1&on=large&on=small')
  await user.click(screen.getByRole('combobox', { name: 'Key that pays' }))
  await user.click(await screen.findByRole('option', { name: /Agents/ }))
  await user.click(screen.getByRole('button', { name: 'Replay' }))
  expect(await screen.findByText('Sunny')).toBeDefined()
  expect(await screen.findByText('weather')).toBeDefined()
  expect((await screen.findByRole('status')).textContent).toMatch(/^Model 2: 2\.0× cheaper/)
  expect(screen.getAllByText('Weather in Rome?')).toHaveLength(2)
  expect(gateway.listCalls('replayRequest').map((call) => [call.id, call.body])).toEqual([
    ['req_1', { model: 'large', key: 'key_1', stream: true }],
    ['req_1', { model: 'small', key: 'key_1', stream: true }],
  ])
})

test('the stored requests are filtered by project, also to none', async () => {
  gateway
    .on('listRequests', ({ query }) => ({
      data: query.tag === 'Website' ? [] : [stored],
      nextCursor: null,
    }))
    .on('getUsage', ({ query }) => usage(query, [usageRow('Website')]))
  const { history } = renderView(<Estimator />, { gateway, path: '/estimator?view=replay&tag=Website' })
  expect(await screen.findByText('No stored request matches this filter.')).toBeDefined()
  expect(screen.getByRole('combobox', { name: 'Project' }).textContent).toContain('Website')
  expect(history).toEqual(['/estimator?view=replay&tag=Website'])
})

test('without stored prompts the storage can be turned on', async () => {
  gateway.on('listRequests', () => ({ data: [requestRow('req_2', 2)], nextCursor: null }))
  renderView(<Estimator />, { gateway, path: '/estimator?view=replay' })
  expect(await screen.findByText('No prompt is stored')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Turn on storage' })).toBeDefined()
})

test('typical requests are chosen, answered, and judged without knowing the models', async () => {
  const records = [1, 2, 3].map((nr) =>
    requestRow(`req_${nr}`, nr, {
      bodiesKept: true,
      model: 'large',
      costUsd: nr,
      endpoint: 'POST /v1/messages',
    }),
  )
  gateway
    .on('listRequests', () => ({ data: records, nextCursor: null }))
    .on('getRequest', ({ id }) => records.find((record) => record.id === id) ?? stored)
    .on('getRequestBodies', () => bodies)
    .onReplay(({ model }) => ({
      text: `Words of the ${model} one`,
      costUsd: model === 'large' ? 0.02 : 0.01,
    }))
  const { user } = renderView(<Estimator />, { gateway, path: '/estimator?view=replay&on=large&on=small' })
  await user.click(await screen.findByRole('button', { name: 'Choose typical ones' }))
  await user.click(screen.getByRole('checkbox', { name: 'Judge blind' }))
  await user.click(await screen.findByRole('button', { name: 'Replay 3 requests' }))
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'A is better' })).toHaveLength(3))
  await waitFor(() => expect(screen.getAllByText(/^Words of/)).toHaveLength(6))
  const sections = screen.getAllByRole('region', { name: 'Answer A' })
  expect(sections.some(({ textContent }) => textContent?.match(/\$|2 in/))).toBe(false)
  const wins = { large: 0, small: 0 }
  for (const section of sections.slice(0, 2)) {
    wins[section.textContent?.includes('large') ? 'large' : 'small'] += 1
    const card = section.closest('section:has(fieldset), div:has(> fieldset)') ?? document.body
    const better = within(card as HTMLElement).getByRole('button', { name: 'A is better' })
    await waitFor(() => expect(better.closest('fieldset')?.disabled).toBe(false))
    await user.click(better)
    expect(screen.queryByRole('heading', { name: /^large was/ })).toBeNull()
  }
  await user.click(screen.getAllByRole('button', { name: 'Equally good' })[2] ?? document.body)
  const times = (count: number) => (count === 1 ? 'once' : `${count} times`)
  expect((await screen.findByRole('heading', { name: /^large was/ })).textContent).toBe(
    `large was better ${times(wins.large)}, small was better ${times(wins.small)}, and 1 was equal`,
  )
  expect(screen.getByText('large cost $0.06, small cost $0.03 for these 3 requests.')).toBeDefined()
})

test('typical requests are of every size', () => {
  const records = Array.from({ length: 20 }, (_, nr) => requestRow(`req_${nr}`, nr, { costUsd: nr }))
  expect(chooseTypical(records, 4)).toEqual(['req_2', 'req_7', 'req_12', 'req_17'])
  expect(chooseTypical(records.slice(0, 2), 4)).toEqual(['req_0', 'req_1'])
})
