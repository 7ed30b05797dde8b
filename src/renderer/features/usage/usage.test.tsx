import { act, screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import type { UsageRow } from '../../../shared/api/usage.ts'
import { noUsage } from '../../data/periods.ts'
import { FakeGateway, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { importedHistory, keyRow, sessionRow, usageRow } from '../../testing/rows.ts'
import { Usage } from './usage.tsx'

const models = [
  usageRow('cheap', { requests: 40, costUsd: 0.004, tokensIn: 9_000, errors: 2, latencyP50Ms: 300 }),
  usageRow('dear', { requests: 10, costUsd: 9, tokensIn: 5_000, latencyP50Ms: 2_000, latencyP95Ms: 8_000 }),
  usageRow('free', { requests: 3, costUsd: 0, unpriced: 3, tokensIn: 70_000 }),
]
const total = {
  ...noUsage,
  requests: 53,
  costUsd: 9.004,
  unpriced: 3,
  latencyP50Ms: 400,
  latencyP95Ms: 8_000,
}
const parts = [
  usageRow('dear', { split: 'key_1', splitLabel: 'Agents', requests: 8, costUsd: 7 }),
  usageRow('dear', { split: 'key_2', splitLabel: 'Search', requests: 2, costUsd: 2 }),
]
/** The models of the period before. */
const before = [usageRow('cheap', { costUsd: 0.5 }), usageRow('dear', { costUsd: 4 })]
let gateway: FakeGateway

beforeEach(() => {
  gateway = new FakeGateway().on('getUsage', ({ query }) => ({ ...usage(query, listRows(query)), total }))
})

function listRows({ groupBy, splitBy, from, latency }: Readonly<Record<string, string>>): UsageRow[] {
  if (latency === undefined) return before
  if (splitBy) return groupBy === 'model' ? parts : []
  if (groupBy === 'day') return [usageRow(from?.slice(0, 10) ?? '', { requests: 1 })]
  return groupBy === 'model' ? models : [usageRow('key_1', { label: 'Agents' })]
}

const table = () => screen.findByRole('treegrid', { name: 'Usage' })
const names = () => screen.getAllByRole('row').flatMap((row) => row.getAttribute('aria-label') ?? [])
const row = async (name: string) => within(await table()).findByRole('row', { name })
/** Of the rows: trends and past costs have no latency. */
const lastQuery = () =>
  gateway
    .listCalls('getUsage')
    .map(({ query }) => query)
    .findLast(({ latency }) => latency !== undefined)
const sortBy = async (user: UserEvent, name: string) => user.click(screen.getByRole('button', { name }))

test('the most expensive model is first, with its share and what it costs per 1,000 requests', async () => {
  renderView(<Usage />, { gateway, path: '/usage' })
  const dear = within(await row('dear'))
  expect(names()).toEqual(['dear', 'cheap', 'free'])
  for (const text of ['10', '$9.00', '100%', '$900.00', '2.00 s', '8.00 s'])
    expect(dear.getByText(text)).toBeDefined()
  expect(within(await row('cheap')).getByText('< $0.01')).toBeDefined()
})

test('costs are compared with the period before, and sorted by how far they grew', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?range=last-month' })
  expect((await within(await row('dear')).findByText('+$5.00')).title).toMatch(/^Up 125% from \$4\.00 in /)
  expect(within(await row('cheap')).getByText('−$0.50')).toBeDefined()
  expect(within(await table()).getByText('+$4.50')).toBeDefined()
  await sortBy(user, 'Change')
  expect(names().slice(0, 3)).toEqual(['dear', 'cheap', 'free'])
  expect(history.at(-1)).toContain('sort=-change')
})

test('a chart of the rows shows what they are sorted by, and part of it becomes the range', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?range=last-month&key=key_1' })
  const chart = await screen.findByRole('group', { name: /^Spend by period/ })
  await sortBy(user, 'Tokens in')
  expect(await screen.findByRole('group', { name: /^Tokens by period/ })).toBe(chart)
  act(() => chart.focus())
  await user.keyboard('{End}{Shift>}{ArrowLeft}{/Shift}{Enter}')
  const { searchParams } = new URL(history.at(-1) ?? '', 'http://localhost')
  expect(Object.fromEntries(searchParams)).toMatchObject({ key: 'key_1', sort: '-tokensIn' })
  expect([...searchParams.keys()]).not.toContain('range')
  act(() => chart.focus())
  await user.keyboard('{End}{Enter}')
  expect(history.at(-1)).toMatch(/^\/requests\?key=key_1&/)
})

test('a sum that leaves out requests without a price is a lower bound, or unknown', async () => {
  gateway.on('getUsage', ({ query }) => ({
    ...usage(query, [usageRow('some', { requests: 4, unpriced: 1, costUsd: 3 }), models[2] ?? usageRow('')]),
    total,
  }))
  renderView(<Usage />, { gateway, path: '/usage' })
  expect(within(await row('free')).getByText('unknown')).toBeDefined()
  expect(within(await row('some')).getByTitle('1 of 4 requests have no price.').textContent).toBe('≥ ')
  expect(screen.getByRole('link', { name: '+ 3 unpriced' }).getAttribute('href')).toBe('/models?price=none')
})

test('a press on a column sorts by it, largest first, and again in the other order', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?range=7d' })
  await table()
  await sortBy(user, 'Tokens in')
  expect(names()).toEqual(['free', 'cheap', 'dear'])
  expect(history.at(-1)).toBe('/usage?range=7d&sort=-tokensIn')
  await sortBy(user, 'Tokens in')
  expect(names()).toEqual(['dear', 'cheap', 'free'])
  // A row without a value is last in either order.
  await sortBy(user, 'p50')
  expect(names()).toEqual(['dear', 'cheap', 'free'])
  await sortBy(user, 'p50')
  expect(names()).toEqual(['cheap', 'dear', 'free'])
})

test('sessions are called as in Sessions, with and without a title', async () => {
  gateway
    .on('listSessions', () => ({
      data: [sessionRow('ses_1', { tag: 'tollgate' }), sessionRow('ses_2', { title: 'Tidy up the tests' })],
      nextCursor: null,
    }))
    .on('getUsage', ({ query }) => ({
      ...usage(query, [
        usageRow('ses_1', { costUsd: 2 }),
        usageRow('ses_2', { label: 'Tidy up the tests', costUsd: 1 }),
        usageRow('ses_01a04c32', { costUsd: 0.5 }),
      ]),
      total,
    }))
  renderView(<Usage />, { gateway, path: '/usage?by=session&tag=tollgate' })
  await row('Claude Code in tollgate, 21 Nov 14:02')
  // The last one is not among those that were read.
  expect(names()).toEqual(['Claude Code in tollgate, 21 Nov 14:02', 'Tidy up the tests', 'Session 01a04c32'])
  expect(gateway.listCalls('listSessions').map(({ query }) => query)).toContainEqual(
    expect.objectContaining({ tag: 'tollgate', sort: 'cost' }),
  )
})

test('a row is expanded into its parts with the arrow keys, and Enter opens the requests of one', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?range=7d&provider=openai' })
  const dear = await row('dear')
  dear.focus()
  await user.keyboard('{ArrowRight}')
  await row('dear, Agents')
  expect(dear.getAttribute('aria-expanded')).toBe('true')
  expect(names()).toEqual(['dear', 'dear, Agents', 'dear, Search', 'cheap', 'free'])
  expect(lastQuery()).toMatchObject({ groupBy: 'model', splitBy: 'key', provider: 'openai', latency: 'true' })
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowLeft}')
  expect(document.activeElement).toBe(dear)
  await user.keyboard('{ArrowDown}{Enter}')
  expect(history.at(-1)).toBe('/requests?provider=openai&model=dear&key=key_1&range=7d')
})

test('rows are chosen with the control above, and a day opens its own requests', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?from=2026-11-02&to=2026-11-08' })
  await table()
  await user.click(await screen.findByRole('combobox', { name: 'Rows by' }))
  await user.click(await screen.findByRole('option', { name: 'By day' }))
  await user.click(await row('Mon 2 Nov'))
  expect(history.at(-1)).toBe('/requests?from=2026-11-02&to=2026-11-02')
})

test('filters are part of the request and of the address', async () => {
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage' })
  await table()
  await user.click(screen.getByRole('combobox', { name: 'Model' }))
  await user.click(await screen.findByRole('option', { name: 'sandbox-small' }))
  expect(history.at(-1)).toBe('/usage?model=sandbox-small')
  await waitFor(() => expect(lastQuery()).toMatchObject({ model: 'sandbox-small' }))
  await user.click(screen.getByRole('button', { name: 'Clear filter' }))
  expect(history.at(-1)).toBe('/usage')
})

test('an empty range says so, and offers a longer one', async () => {
  gateway
    .on('getUsage', ({ query }) => usage(query, []))
    .on('listKeys', () => ({ data: [keyRow('key_1', { lastUsedAt: '2026-05-01T09:00:00.000Z' })] }))
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage' })
  await screen.findByText('No usage in this period')
  await user.click(screen.getByRole('button', { name: 'Show the last 12 months' }))
  expect(history.at(-1)).toBe('/usage?range=12m')
  expect(screen.getByRole('link', { name: 'Connect a tool' }).getAttribute('href')).toBe('/connect')
})

test('before the first request, usage leads to Connect, not to a longer range', async () => {
  gateway.on('getUsage', ({ query }) => usage(query, [])).on('listKeys', () => ({ data: [keyRow('key_1')] }))
  renderView(<Usage />, { gateway, path: '/usage' })
  await screen.findByText('No usage yet')
  expect(screen.getByRole('link', { name: 'Connect a tool' }).getAttribute('href')).toBe('/connect')
  expect(screen.queryByRole('button', { name: 'Show the last 12 months' })).toBeNull()
})

test('the latency of a few requests is dimmed, as it says little', async () => {
  renderView(<Usage />, { gateway, path: '/usage' })
  const few = within(await row('dear')).getByText('2.00 s')
  expect(few.className).toContain('text-ink-3')
  expect(few.title).toBe('Of 10 requests only')
  const many = within(await row('cheap')).getByText('300 ms')
  expect(many.className).not.toContain('text-ink-3')
})

test('what is shown is exported with exact amounts, also with the parts of each row', async () => {
  const saved: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof Blob) saved.push(file)
    return 'blob:'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {})
  const { user } = renderView(<Usage />, { gateway, path: '/usage?sort=requests' })
  await within(await row('dear')).findByText('+$5.00')
  const save = async (name: string) => {
    await user.click(screen.getByRole('button', { name: 'Export' }))
    await user.click(await screen.findByRole('menuitem', { name }))
    await waitFor(() => expect(saved).toHaveLength(1))
    return (await saved.pop()?.text())?.split('\r\n') ?? []
  }
  expect(await save('CSV by model')).toEqual([
    'model,model id,requests,tokensIn,tokensOut,tokensCached,costUsd,unpriced,errors,latencyP50Ms,latencyP95Ms,worthUsd,previousCostUsd,savedUsd,origin',
    'free,free,3,70000,50,0,,3,0,,,0.000000000,0.000000000,0.000000000,',
    'dear,dear,10,5000,50,0,9.000000000,0,0,2000,8000,0.000000000,4.000000000,0.000000000,',
    'cheap,cheap,40,9000,50,0,0.004000000,0,2,300,,0.000000000,0.500000000,0.000000000,',
    '',
  ])
  const divided = await save('CSV by model and key')
  expect(divided[1]).toBe('dear,dear,Agents,key_1,8,100,50,0,7.000000000,0,0,,,0.000000000,,0.000000000,')
  expect(divided).toHaveLength(4)
})

test('imported calls have rows of their own, which are in no total, until the switch hides them', async () => {
  gateway
    .on('getHistory', () => importedHistory)
    .on('getUsage', ({ query }) => ({
      ...usage(query, [
        ...listRows(query),
        ...(query.history ? [usageRow('dear', { requests: 7, costUsd: 50, origin: 'import' })] : []),
      ]),
      total,
      ...(query.history && { importedTotal: { ...noUsage, requests: 7, costUsd: 50 } }),
    }))
  const { user } = renderView(<Usage />, { gateway, path: '/usage' })
  const rows = await waitFor(() => {
    const found = within(screen.getByRole('treegrid')).getAllByRole('row', { name: 'dear' })
    expect(found).toHaveLength(2)
    return found
  })
  const [imported] = rows
  for (const text of ['from logs', 'list price', '$50.00', '7'])
    expect(within(imported ?? document.body).getByText(text)).toBeDefined()
  expect(within(screen.getByRole('treegrid')).getByText('$9.00', { selector: 'tfoot *' })).toBeDefined()
  await user.click(screen.getByRole('switch', { name: 'With history of agents' }))
  await waitFor(() => expect(screen.getAllByRole('row', { name: 'dear' })).toHaveLength(1))
  await user.click(screen.getByRole('switch', { name: 'With history of agents' }))
  await waitFor(() => expect(screen.getAllByRole('row', { name: 'dear' })).toHaveLength(2))
})

test('rows are marked with Ctrl, and summed up', async () => {
  const { user } = renderView(<Usage />, { gateway, path: '/usage?sort=requests' })
  await user.keyboard('{Control>}')
  await user.click(within(await row('dear')).getByText('dear'))
  await user.click(within(await row('cheap')).getByText('cheap'))
  await user.keyboard('{/Control}')
  const bar = within(screen.getByText('2 selected').closest<HTMLElement>('[role=status]') ?? document.body)
  expect(bar.getByText('$9.00')).toBeDefined()
  await user.click(bar.getByRole('button', { name: 'Clear selection' }))
  expect(screen.queryByText('2 selected')).toBeNull()
})

test('what is shown is copied as a table', async () => {
  const { user } = renderView(<Usage />, { gateway, path: '/usage?sort=requests' })
  await row('dear')
  const copied = vi.spyOn(navigator.clipboard, 'writeText')
  await user.click(screen.getByRole('button', { name: 'Export' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Copy as table' }))
  await screen.findByText('Copied as a table.')
  expect(copied.mock.calls).toEqual([
    [
      [
        '| Model | Requests | Tokens | Cost |',
        '| --- | --: | --: | --: |',
        '| free | 3 | 70.1k | unknown |',
        '| dear | 10 | 5,050 | $9.00 |',
        '| cheap | 40 | 9,050 | < $0.01 |',
        '',
      ].join('\n'),
    ],
  ])
})

test('branches have no parts, and lead to their sessions; what belongs to none is shown', async () => {
  const fix = 'github.com/ann/shop fix'
  gateway.on('getUsage', ({ query }) => ({
    ...usage(query, [usageRow(fix, { requests: 3, costUsd: 2 }), usageRow('', { requests: 1, costUsd: 1 })]),
    total,
  }))
  const { user, history } = renderView(<Usage />, { gateway, path: '/usage?by=branch&range=7d' })
  const table = await screen.findByRole('table', { name: 'Usage' })
  expect(within(table).getByRole('row', { name: 'Not attributed' })).toBeDefined()
  expect(screen.queryByRole('combobox', { name: 'Parts by' })).toBeNull()
  await user.click(within(table).getByRole('row', { name: 'fix in ann/shop' }))
  const search = new URLSearchParams({ branch: fix, range: '7d' })
  expect(history.at(-1)).toBe(`/sessions?${search}`)
})

test('each row has the trend of its cost, from one more query', async () => {
  gateway.on('getUsage', ({ query }) => {
    const day = (group: string, usd: number) =>
      usageRow(group, { split: 'dear', splitLabel: 'dear', costUsd: usd })
    const isTrend = query.splitBy === 'model' && query.groupBy === 'day'
    return {
      ...usage(query, isTrend ? [day('2026-10-30', 1), day('2026-10-31', 4)] : listRows(query)),
      total,
    }
  })
  renderView(<Usage />, { gateway, path: '/usage?from=2026-10-29&to=2026-10-31' })
  const trend = await within(await row('dear')).findByRole('img', { name: 'Trend of dear, at most $4.00' })
  expect(trend.querySelector('polyline')?.getAttribute('points')).toBe('0.0,16.0 36.0,12.0 72.0,0.0')
  // A row that the chart does not draw has the color of all others, not that of a series to come.
  const color = async (name: string) => {
    const mark = (await row(name)).querySelector<HTMLElement>('span[aria-hidden][style]')
    return mark?.style.background
  }
  expect([await color('dear'), await color('free')]).toEqual(['var(--chart-1)', 'var(--chart-6)'])
})

test('many rows with little cost are one row that opens, and the sum stays', async () => {
  const many = [
    usageRow('dear', { requests: 1, costUsd: 99 }),
    ...Array.from({ length: 9 }, (_, at) => usageRow(`small-${at}`, { requests: 1, costUsd: 0.1 })),
  ]
  gateway.on('getUsage', ({ query }) => ({
    ...usage(query, query.latency === undefined ? [] : many),
    total: { ...total, costUsd: 99.9 },
  }))
  const { user } = renderView(<Usage />, { gateway, path: '/usage' })
  const small = await row('9 below 1%')
  expect(within(small).getByText('$0.90')).toBeDefined()
  expect(names()).toEqual(['dear', '9 below 1%'])
  await user.click(within(small).getByText('9 below 1%'))
  await waitFor(() => expect(names()).toHaveLength(11))
  await sortBy(user, 'Requests')
  expect(names()).toHaveLength(10)
})
