// @vitest-environment jsdom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { useConnection } from '../../stores/connection.ts'
import { FakeGateway, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { account, keyRow, requestRow, usageRow } from '../../testing/rows.ts'
import { Overview } from './overview.tsx'
import { useSpendChoice } from './use-spend-series.ts'

const today = new Date().toISOString().slice(0, 10)
let gateway: FakeGateway
/** Requests and their cost today, as the gateway has summed them. */
let sums: { requests: number; costUsd: number }

beforeEach(() => {
  sums = { requests: 2, costUsd: 1.5 }
  gateway = new FakeGateway().on('getUsage', ({ query }) =>
    usage(query, [usageRow(today, { ...sums, split: query.splitBy, splitLabel: `some ${query.splitBy}` })]),
  )
  useSpendChoice.setState({ span: 'day', by: 'model' })
})

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
  await screen.findByText('2 requests')
  expect(within(card('Top models')).getByText('some model')).toBeDefined()
  await connected()
  sums = { requests: 3, costUsd: 2.5 }
  gateway.send({ type: 'account', account: { ...account, todaySpendUsd: 2.5 } })
  gateway.send({ type: 'request', request: requestRow('a', 1) })
  await within(card('Today')).findByText('$2.50')
  expect(await screen.findByText('3 requests')).toBeDefined()
  expect(within(card('Top models')).getByText('$2.50')).toBeDefined()
})

test('a running request changes no totals', async () => {
  renderView(<Overview />, { gateway })
  await screen.findByText('2 requests')
  await connected()
  gateway.send({ type: 'request', request: requestRow('a', 1, { status: 'running' }) })
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(gateway.callsOf('getUsage')).toHaveLength(3)
})

test('weeks and months take one more request, and the days are shown until its response', async () => {
  const { user } = renderView(<Overview />, { gateway })
  await screen.findByText(/in 30 days/)
  const { answer } = gateway.hold('getUsage')
  await user.click(screen.getByRole('radio', { name: 'Week' }))
  await waitFor(() => expect(gateway.callsOf('getUsage')).toHaveLength(4))
  expect(gateway.callsOf('getUsage').at(-1)?.query).toMatchObject({ groupBy: 'week', splitBy: 'model' })
  expect(screen.getByText(/in 30 days/)).toBeDefined()
  answer(usage({ groupBy: 'week' }, []))
  await screen.findByText(/in 12 weeks/)
  expect(screen.getByText('No spend in this period.')).toBeDefined()
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

test('the first steps are shown until a key has been used, or they are dismissed', async () => {
  const { user } = renderView(<Overview />, { gateway })
  await screen.findByText('Three steps to a metered tool')
  expect(screen.getByText('What to paste appears here once there is a key.')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByText('Three steps to a metered tool')).toBeNull()
})

test('an account that cannot be read is reported, and read again on demand', async () => {
  gateway.fail('getAccount', 'The database is locked.')
  const { user } = renderView(<Overview />, { gateway })
  await screen.findByText('The database is locked.')
  gateway.on('getAccount', () => account)
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  await within(await screen.findByRole('main')).findByText('This month')
})
