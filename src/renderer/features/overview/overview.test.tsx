import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { chooseHistory } from '../../../features/history/view/use-history.ts'
import { noUsage } from '../../data/periods.ts'
import { CHART_LEFT, CHART_RIGHT } from '../../kit/chart-frame.tsx'
import { useConnection } from '../../kit/connection.ts'
import { FakeGateway, usage } from '../../testing/fake-gateway.ts'
import { passTime } from '../../testing/pass-time.ts'
import { renderView } from '../../testing/render.tsx'
import {
  account,
  accountWithLimit,
  importedHistory,
  keyRow,
  noRehearsal,
  requestRow,
  runningRow,
  usageRow,
} from '../../testing/rows.ts'
import { Overview, overviewDetails } from './overview.tsx'
import { useChosenUnit } from './overview-range.ts'
import { useChartChoice } from './usage-chart-card.tsx'

const today = '2026-11-22'
let gateway: FakeGateway
/** Requests and their cost today, as the gateway has summed them. */
let sums: { requests: number; costUsd: number }

// Preloads the part that a user sees a moment later.
beforeAll(async () => void (await overviewDetails.preload()))

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(`${today}T14:37:00Z`) })
  onTestFinished(() => void vi.useRealTimers())
  sums = { requests: 2, costUsd: 1.5 }
  gateway = new FakeGateway().on('getUsage', ({ query }) =>
    usage(query, [usageRow(today, { ...sums, split: query.splitBy, splitLabel: `some ${query.splitBy}` })]),
  )
  useChartChoice.setState({ measure: 'spend', by: 'model' })
  useChosenUnit.setState({ unit: null })
})

/** The reads of usage, without those of the periods before, which no event changes. */
function listReads() {
  return gateway
    .listCalls('getUsage')
    .filter(({ query }) => query.splitBy !== undefined || query.to === undefined)
}

async function connected(): Promise<void> {
  await waitFor(() => expect(useConnection.getState().state).toBe('live'))
}

function card(title: string): HTMLElement {
  const element = screen.getByRole('heading', { name: title }).closest('section')
  if (!element) throw new Error(`No card is called ${title}`)
  return element
}

test('the totals of the day and the rankings follow the requests', async () => {
  renderView(<Overview />, { gateway })
  await screen.findByText(/^2 finished requests/)
  expect(within(card('Top models')).getByText('some model')).toBeDefined()
  await connected()
  sums = { requests: 3, costUsd: 2.5 }
  gateway.send({ type: 'account', account: { ...account, todaySpendUsd: 2.5 } })
  gateway.send({ type: 'request', request: requestRow('a', 1) })
  await within(card('Today')).findByText('$2.50')
  expect(await screen.findByText(/^3 finished requests/)).toBeDefined()
  expect(within(card('Top models')).getByText('$2.50')).toBeDefined()
})

test('running requests show what they have cost so far, and what is reserved', async () => {
  let data = [runningRow('a'), runningRow('b', { costUsd: 0.02 }), runningRow('c', { costUsd: null })]
  gateway.on('listRunningRequests', () => ({ data, todaySpendUsd: 0 }))
  renderView(<Overview />, { gateway })
  const link = await screen.findByRole('link', { name: '3 running · $0.07 so far · $0.93 reserved' })
  expect(link.getAttribute('href')).toBe('/requests?status=running')
  data = [runningRow('a', { costUsd: 0.02 }), runningRow('d', { provider: 'sandbox' })]
  await screen.findByRole('link', { name: '2 running · $0.02 so far · $0.31 reserved' }, { timeout: 3_000 })
  data = []
  await waitFor(() => expect(screen.queryByRole('link', { name: /running/ })).toBeNull(), { timeout: 3_000 })
})

test('a running request changes no totals', async () => {
  renderView(<Overview />, { gateway })
  await screen.findByText(/^2 finished requests/)
  await connected()
  vi.useFakeTimers()
  gateway.send({ type: 'request', request: requestRow('a', 1, { status: 'running' }) })
  await passTime(1300)
  expect(gateway.listCalls('listRunningRequests')).toHaveLength(2)
  expect(listReads()).toHaveLength(4)
})

test('another range takes three more requests and two to compare it, and the last 30 days are shown until their responses', async () => {
  const { user, history } = renderView(<Overview />, { gateway })
  await screen.findByRole('button', { name: /^some model.*\$1.50$/ })
  await waitFor(() => expect(listReads()).toHaveLength(4))
  const { answer } = gateway.hold('getUsage')
  await user.click(screen.getByRole('button', { name: /^Date range:/ }))
  await user.click(await screen.findByRole('button', { name: 'Last 12 months' }))
  expect(history.at(-1)).toBe('/?range=12m')
  await waitFor(() => expect(listReads()).toHaveLength(7))
  expect(listReads().at(-1)?.query).toMatchObject({ groupBy: 'month', splitBy: 'client' })
  expect(gateway.listCalls('getUsage')).toHaveLength(7 + 4 + 2)
  expect(within(card('Top models')).getByText('$1.50')).toBeDefined()
  answer(usage({ groupBy: 'month' }, []))
  await screen.findByText('No spend in this period.')
  expect(within(card('Top models')).getByText('No model was used in this period.')).toBeDefined()
})

test('the unit fits the range, and can be chosen', async () => {
  const { user } = renderView(<Overview />, { gateway, path: '/?range=24h' })
  const unit = () => screen.getByRole('combobox', { name: 'Unit' })
  await waitFor(() => expect(listReads().at(-1)?.query).toMatchObject({ groupBy: 'hour' }))
  expect(unit().textContent).toBe('Hours')
  await user.click(screen.getByRole('button', { name: /^Date range:/ }))
  await user.click(await screen.findByRole('button', { name: 'Last 7 days' }))
  expect(unit().textContent).toBe('Days')
  await user.click(unit())
  await user.click(await screen.findByRole('option', { name: 'Hours' }))
  expect(unit().textContent).toBe('Hours')
})

test('a part of a column opens its requests, by keyboard too', async () => {
  const { user, history } = renderView(<Overview />, { gateway })
  const chart = await screen.findByRole('group', { name: /^Spend by period/ })
  act(() => chart.focus())
  await user.keyboard('{End}{ArrowUp}{Enter}')
  expect(history.at(-1)).toBe(`/requests?model=model&from=${today}&to=${today}`)
})

test('columns are selected with Shift, and become the range', async () => {
  const { user, history } = renderView(<Overview />, { gateway })
  const chart = await screen.findByRole('group', { name: /^Spend by period/ })
  act(() => chart.focus())
  await user.keyboard('{End}{Shift>}{ArrowLeft}{ArrowLeft}{/Shift}{Enter}')
  const first = new Date(Date.parse(today) - 2 * 86_400_000).toISOString().slice(0, 10)
  expect(history.at(-1)).toBe(`/?from=${first}&to=${today}`)
})

test('a daily limit is tried in the chart, then set, and can be taken back', async () => {
  gateway.on('rehearse', () => ({
    ...{ ...noRehearsal, changed: 1, days: 1, firstAt: `${today}T10:00:00.000Z`, afterUsd: 39.75 },
    data: [
      {
        ...{ requestId: 'req_1', importedSession: null, at: `${today}T10:00:00.000Z`, program: 'Codex' },
        ...{ askedModel: 'big', model: null, costUsd: 0.25, savedUsd: 0.25, rewriteUsd: 0 },
      },
    ],
  }))
  gateway.on('updateAccount', () => account)
  const { user } = renderView(<Overview />, { gateway })
  const handle = await screen.findByRole('slider', { name: 'Daily limit' })
  expect(handle.getAttribute('aria-valuetext')).toBe('No limit')
  act(() => handle.focus())
  await user.keyboard('{Home}{ArrowUp}')
  const tried = Number(handle.getAttribute('aria-valuenow'))
  expect(tried).toBe(2 * Number(handle.getAttribute('aria-valuemin')))
  const trial = within(await screen.findByRole('region', { name: 'Trial of a daily limit' }))
  await trial.findByText('It would have stopped 1 of 1,200 requests, on 22 Nov: $39.75 instead of $40.00.')
  await waitFor(() =>
    expect(gateway.listCalls('rehearse').at(-1)?.body).toEqual({
      ...{ limit: { per: 'day', usd: tried }, keyId: null, history: false },
    }),
  )
  await user.click(trial.getByRole('button', { name: 'Show it' }))
  const screenOfIt = within(await screen.findByRole('dialog', { name: 'The last 30 days with this limit' }))
  const row = screenOfIt.getByRole('row', { name: /big → stopped/ })
  expect(within(row).getByRole('link').getAttribute('href')).toBe('/requests/req_1')
  await user.click(screenOfIt.getByRole('button', { name: 'Set limit' }))
  const saved = () => gateway.listCalls('updateAccount').map(({ body }) => body)
  await waitFor(() => expect(saved()).toEqual([{ spendLimits: [{ per: 'day', usd: tried }] }]))
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Trial of a daily limit' })).toBeNull())
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(saved().at(-1)).toMatchObject({ spendLimits: account.spendLimits }))
})

test('dragging over columns makes them the range', async () => {
  const { history } = renderView(<Overview />, { gateway })
  const chart = await screen.findByRole('group', { name: /^Spend by period/ })
  // Each of the 30 columns is ten pixels wide.
  vi.spyOn(chart, 'getBoundingClientRect').mockReturnValue(
    new DOMRect(0, 0, CHART_LEFT + 300 + CHART_RIGHT, 200),
  )
  const at = (column: number) => ({ clientX: CHART_LEFT + column * 10 + 5, button: 0 })
  fireEvent.pointerDown(chart, at(29))
  fireEvent.pointerMove(chart, at(28))
  fireEvent.pointerMove(chart, at(27))
  fireEvent.pointerUp(chart, at(27))
  const first = new Date(Date.parse(today) - 2 * 86_400_000).toISOString().slice(0, 10)
  expect(history.at(-1)).toBe(`/?from=${first}&to=${today}`)
})

test('an entry of the legend hides its series, and shows it again', async () => {
  const { user } = renderView(<Overview />, { gateway })
  const entry = await screen.findByRole('button', { name: /^some model/ })
  const total = () => screen.getByRole('row', { name: /^Period/ }).parentElement?.parentElement?.textContent
  expect(total()).toContain('$1.50')
  await user.click(entry)
  expect(entry.getAttribute('aria-pressed')).toBe('false')
  expect(total()).not.toContain('$1.50')
  await user.click(entry)
  expect(total()).toContain('$1.50')
})

test('other measures are shown by the same splits, and latency as lines without one', async () => {
  const { user } = renderView(<Overview />, { gateway })
  const choose = async (name: string) => {
    await user.click(await screen.findByRole('combobox', { name: 'Measure' }))
    await user.click(await screen.findByRole('option', { name }))
  }
  await choose('Tokens')
  await user.click(screen.getByRole('combobox', { name: 'Split by' }))
  await user.click(await screen.findByRole('option', { name: 'by tool' }))
  expect(within(screen.getByRole('list', { name: 'Tokens by tool' })).getByText('150')).toBeDefined()
  const row = usageRow(today, { latencyP50Ms: 1200, latencyP95Ms: 9000 })
  gateway.on('getUsage', ({ query }) => ({
    ...usage(query, [row]),
    total: { ...noUsage, latencyP50Ms: 1200, latencyP95Ms: 9000 },
  }))
  await choose('Latency')
  const legend = await screen.findByRole('list', { name: 'Latency' })
  expect(within(legend).getByRole('button', { name: /^95th percentile.*9.00 s$/ })).toBeDefined()
  expect(screen.queryByRole('combobox', { name: 'Split by' })).toBeNull()
  expect(gateway.listCalls('getUsage').at(-1)?.query).toMatchObject({ groupBy: 'day', latency: 'true' })
})

test('sums say how many requests without a price they leave out', async () => {
  gateway.on('getUsage', ({ query }) =>
    usage(query, [usageRow(today, { requests: 4, unpriced: 3, split: 'a', splitLabel: 'a' })]),
  )
  renderView(<Overview />, { gateway })
  await screen.findByText(/\+ 3 requests without a price/)
  const links = [
    screen.getByRole('link', { name: 'Set prices' }),
    await within(card('Today')).findByRole('link', { name: '+ 3 unpriced' }),
  ]
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/models?price=none', '/models?price=none'])
  expect(within(card('Top models')).getByText(/, 3 unpriced$/)).toBeDefined()
})

test('sums are compared with as much of the period before, which the chart shows as a line', async () => {
  gateway.on('getUsage', ({ query }) => {
    const from = query.from?.slice(0, 10) ?? today
    const isPast = query.splitBy === undefined && query.to !== undefined
    const row = usageRow(isPast ? from : today, { costUsd: isPast ? 2 : 3, split: 'a', splitLabel: 'a' })
    return { ...usage(query, [row]), total: { ...noUsage, costUsd: 2 } }
  })
  gateway.on('getAccount', () => ({ ...account, todaySpendUsd: 1, monthSpendUsd: 2 }))
  renderView(<Overview />, { gateway })
  await within(card('Today')).findByText('▼ 50%')
  expect(within(card('Today')).getByText(/^Down 50% from \$2\.00 in \d+ \w+, 00:00–14:30$/)).toBeDefined()
  expect(within(card('This month')).getByText('= same')).toBeDefined()
  expect(within(card('Spend')).getByText('▲ 50%')).toBeDefined()
  expect(
    within(screen.getByRole('list', { name: 'Spend by model' })).getByText('Period before'),
  ).toBeDefined()
  const cells = screen.getByRole('row', { name: /^Period Total Period before/ }).parentElement?.nextSibling
  expect(cells?.firstChild?.textContent).toContain('$2.00')
})

test('the end of the month is forecast', async () => {
  renderView(<Overview />, { gateway })
  expect((await within(card('This month')).findByText(/^About \$/)).textContent).toMatch(/ by 30 Nov$/)
})

test('a paused key comes first with its reason, and can be resumed', async () => {
  const key = keyRow('key_1', {
    ...{
      name: 'Runaway agent',
      pausedAt: '2026-11-21T12:00:00.000Z',
      pauseReason: 'The same prompt 30 times.',
    },
  })
  gateway
    .on('listKeys', () => ({ data: [key] }))
    .on('resumeKey', () => ({ ...key, pausedAt: null, pauseReason: null }))
  const { user } = renderView(<Overview />, { gateway })
  const row = within(await screen.findByRole('list', { name: 'Paused keys' }))
  expect(row.getByText('The same prompt 30 times.')).toBeDefined()
  expect(row.getByRole('link', { name: 'Runaway agent' }).getAttribute('href')).toBe('/keys?edit=key_1')
  await user.click(row.getByRole('button', { name: 'Resume “Runaway agent”' }))
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Paused keys' })).toBeNull())
  expect(await screen.findByText('“Runaway agent” works again.')).toBeDefined()
})

test('the keys nearest to their caps come first, with what is left', async () => {
  gateway.on('listKeys', () => ({
    data: [
      keyRow('key_1', { name: 'Half', spendUsd: 5, spendLimitUsd: 10 }),
      keyRow('key_2', { name: 'Nearly', spendUsd: 9, spendLimitUsd: 10 }),
      keyRow('key_3', { name: 'No cap' }),
      keyRow('key_4', {
        name: 'Revoked',
        spendUsd: 9.9,
        spendLimitUsd: 10,
        revokedAt: '2026-11-02T09:00:00Z',
      }),
    ],
  }))
  renderView(<Overview />, { gateway })
  await screen.findByText('$1.00 left of $10.00')
  const names = within(card('Caps'))
    .getAllByRole('meter')
    .map((meter) => meter.getAttribute('aria-label'))
  expect(names).toEqual(['Spend of Nearly', 'Spend of Half'])
})

test('caps are the nearest limits of each key, whichever kind, and those of the account', async () => {
  const day = {
    ...{ usd: 2, per: 'day' as const, spentUsd: 1.9, reservedUsd: 0 },
    resetsAt: new Date(Date.now() + 3_600_000).toISOString(),
  } as const
  gateway
    .on('listKeys', () => ({
      data: [
        keyRow('key_1', { name: 'Agent', spendUsd: 5, spendLimitUsd: 10, spendLimits: [day] }),
        keyRow('key_2', { name: 'Warned', spendLimits: [{ ...day, spentUsd: 3, action: 'warn' }] }),
        keyRow('key_3', { name: 'Asking', spendLimits: [{ ...day, spentUsd: 2, action: 'ask' }] }),
      ],
    }))
    .on('getAccount', () =>
      accountWithLimit(100, {
        monthSpendUsd: 3,
        spendLimits: [{ ...day, spentUsd: 17, usd: 20, tag: 'Website' }],
      }),
    )
  renderView(<Overview />, { gateway })
  await screen.findByText('$0.10 left of $2.00 per day')
  const rows = within(card('Caps')).getAllByRole('listitem')
  expect(rows.map((row) => row.textContent)).toEqual([
    expect.stringMatching(
      /^AskingLimit of \$2\.00 per day reachedRequests stop until you allow more\.Raise limit$/,
    ),
    expect.stringMatching(/^Agent\$0\.10 left of \$2\.00 per dayResets at \d\d:\d\d\.Raise limit$/),
    expect.stringMatching(
      /^Warned\$3\.00 of \$2\.00 per day, \$1\.00 overOnly warns, resets at .*Raise limit$/,
    ),
    expect.stringMatching(/^All keys\$97\.00 left of \$100\.00 this monthResets on 1 Dec\.Edit limit$/),
  ])
  expect(screen.getByText('Left of $20.00 per day in Website')).toBeDefined()
})

test('the first steps are shown until a key has been used, or they are dismissed', async () => {
  const { user } = renderView(<Overview />, { gateway })
  await screen.findByText('Get started in three steps')
  expect(screen.getByText('Your setup snippet appears here after you create a key.')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByText('Get started in three steps')).toBeNull()
})

test('the logs of agents are imported in one click, and then part of the chart', async () => {
  const offered = { ...importedHistory, imported: [] }
  const result = {
    ...{ startedAt: `${today}T14:00:00Z`, endedAt: `${today}T14:00:01Z`, tools: [] },
    outcome: 'done',
    summary: '7 calls of 1 tool since October 1, 2026.',
  } as const
  const running = { startedAt: `${today}T14:00:00Z`, name: 'Claude Code', files: 3, calls: 5 }
  gateway
    .on('getHistory', () => offered)
    .on('importHistory', () => ({ ...offered, running }))
    .on('getUsage', ({ query }) =>
      usage(query, [
        usageRow(today, { ...sums, split: query.splitBy, splitLabel: `some ${query.splitBy}` }),
        ...(query.history ? [usageRow(today, { costUsd: 50, origin: 'import' })] : []),
      ]),
    )
  const { user } = renderView(<Overview />, { gateway })
  await screen.findByText(/Prompts and answers are not, and no log is changed/)
  await connected()
  await user.click(screen.getByRole('button', { name: 'Import history' }))
  expect(await screen.findByText('Reading Claude Code: 3 files, 5 calls')).toBeDefined()
  gateway.on('getHistory', () => ({ ...importedHistory, last: result }))
  gateway.send({ type: 'history', running: null })
  expect(await screen.findByText(result.summary)).toBeDefined()
  expect(screen.getByRole('switch', { name: 'Keep history up to date' })).toBeDefined()
  const legend = within(await screen.findByRole('list', { name: 'Spend by model' }))
  expect(await legend.findByRole('button', { name: /History of agents/ })).toBeDefined()
  expect(screen.getByText(/at list prices, from logs/)).toBeDefined()
  onTestFinished(() => chooseHistory(true))
  await user.click(screen.getByRole('switch', { name: 'With history of agents' }))
  await waitFor(() => expect(legend.queryByRole('button', { name: /History of agents/ })).toBeNull())
})
