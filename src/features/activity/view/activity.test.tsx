import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Sidebar } from '../../../renderer/app/app.tsx'
import { FakeGateway } from '../../../renderer/testing/fake-gateway.ts'
import { renderView } from '../../../renderer/testing/render.tsx'
import { activityEntry } from '../../../renderer/testing/rows.ts'
import type { ActivityEntry } from '../../../shared/api/activity.ts'
import { ActivityView } from './activity.tsx'
import { describeEntry } from './describe-entry.ts'

afterEach(() => vi.restoreAllMocks())

const key = { kind: 'key', id: 'key_1', name: 'Docs' } as const
const provider = { kind: 'provider', id: 'openai', name: 'OpenAI' } as const
const account = { kind: 'account', id: null, name: null } as const
const admin = { kind: 'key', id: 'key_9', name: 'Admin' } as const
const guard = { kind: 'guard', id: null, name: null } as const
const daily = { per: 'day', model: 'gpt-5*', index: 0 } as const
const editKey = '/keys?edit=key_1'

test.each<[string, string | null, string, Partial<ActivityEntry>]>([
  [
    '“Docs” reached its lifetime cap of $5.00: $5.01 of $5.00 spent',
    null,
    editKey,
    { kind: 'limit-reached', subject: key, spentUsd: 5.01, limitUsd: 5 },
  ],
  [
    '“Docs” reached its daily cap of $2.00 for “gpt-5*”: $2.00 of $2.00 spent',
    'Requests went on: this limit only warns.',
    editKey,
    {
      ...{ kind: 'limit-reached', subject: key, spentUsd: 2, limitUsd: 2 },
      limit: { ...daily, action: 'warn' },
    },
  ],
  [
    'The monthly limit of $20.00 was reached: $20.00 of $20.00 spent',
    null,
    '/settings#monthly-limit',
    { kind: 'limit-reached', subject: account, spentUsd: 20, limitUsd: 20 },
  ],
  [
    'The key “Admin” raised the lifetime cap of “Docs” from $5.00 to $10.00',
    null,
    editKey,
    { kind: 'limit-changed', actor: admin, subject: key, previousLimitUsd: 5, limitUsd: 10 },
  ],
  [
    'The key “Admin” lowered the daily cap of “Docs” for “gpt-5*” from $5.00 to $0.005',
    null,
    editKey,
    { kind: 'limit-changed', actor: admin, subject: key, limit: daily, previousLimitUsd: 5, limitUsd: 0.005 },
  ],
  [
    'The key “Admin” set the monthly limit of all keys to $50.00',
    null,
    '/settings#monthly-limit',
    { kind: 'limit-changed', actor: admin, subject: account, limitUsd: 50 },
  ],
  [
    'The key “Admin” removed the daily limit of all keys for “gpt-5*”, which was $3.00',
    null,
    '/settings#further-limits',
    { kind: 'limit-changed', actor: admin, subject: account, limit: daily, previousLimitUsd: 3 },
  ],
  [
    'The runaway guard paused “Docs”',
    'It loops.',
    editKey,
    { kind: 'key-paused', actor: guard, subject: key, reason: 'It loops.' },
  ],
  ['The key “Admin” resumed “Docs”', null, editKey, { kind: 'key-resumed', actor: admin, subject: key }],
  ['The key “Admin” paused everything', null, '/', { kind: 'all-paused', actor: admin, subject: account }],
  ['The key “Admin” resumed everything', null, '/', { kind: 'all-resumed', actor: admin, subject: account }],
  [
    'The key “Admin” turned off the rule “Guard”',
    null,
    '/settings#rules',
    {
      kind: 'rule-changed',
      actor: admin,
      subject: { kind: 'rule', id: 'rule_1', name: 'Guard' },
      reason: 'off',
    },
  ],
  [
    'The key “Admin” updated the prices: 3 models changed',
    null,
    '/models',
    { kind: 'prices-updated', actor: admin, models: 3 },
  ],
  [
    'OpenAI has failed since 11:02',
    'Status 500.',
    '/providers?edit=openai',
    {
      ...{ kind: 'provider-failing', subject: provider },
      ...{ since: '2026-11-21T11:02:00.000Z', reason: 'Status 500.' },
    },
  ],
  [
    'OpenAI reported more than a request can cost',
    'It reported $12.30, of which $0.02 is charged. The rest may be held for a while, up to the price of a full context window and output.',
    '/requests/req_1',
    {
      ...{ kind: 'report-doubted', subject: provider, spentUsd: 0.02, limitUsd: 12.3, reason: 'req_1' },
    },
  ],
  ['OpenAI works again', null, '/providers?edit=openai', { kind: 'provider-recovered', subject: provider }],
  [
    'The key “Admin” restored the backup of 12 Nov 2026, 09:30',
    'It contains nothing that happened since, not even spend.',
    '/settings#backups',
    { kind: 'backup-restored', actor: admin, since: '2026-11-12T09:30:00.000Z', reason: 'requested' },
  ],
  [
    'The backup of 12 Nov 2026, 09:30, was restored',
    'The database was damaged or missing. It contains nothing that happened since, not even spend.',
    '/settings#backups',
    { kind: 'backup-restored', since: '2026-11-12T09:30:00.000Z', reason: 'damaged' },
  ],
  [
    'Signed in from a browser with the key “Docs”',
    'From 192.168.1.7',
    editKey,
    { kind: 'signed-in', subject: key, address: '192.168.1.7' },
  ],
  [
    'Signed in from a browser with the key “Docs”',
    null,
    editKey,
    { kind: 'signed-in', subject: key, address: '::ffff:127.0.0.1' },
  ],
])('an entry says “%s”', (text, detail, href, part) => {
  expect(describeEntry(activityEntry('act_1', part), 'UTC')).toMatchObject({ text, detail, href })
})

function createGateway(): FakeGateway {
  const entries = [
    activityEntry('act_4', { kind: 'key-paused', actor: guard, subject: key, unread: true }),
    activityEntry('act_3', { kind: 'provider-failing', subject: provider }),
    activityEntry('act_2', {
      kind: 'key-resumed',
      actor: admin,
      subject: key,
      at: '2026-11-19T08:00:00.000Z',
    }),
  ]
  let seen = false
  return new FakeGateway()
    .on('listActivity', ({ query }) => ({
      data: entries
        .filter(({ kind }) => query.kind === undefined || kind === query.kind)
        .map((entry) => ({ ...entry, unread: entry.unread && !seen })),
      nextCursor: null,
      unread: seen ? 0 : 1,
    }))
    .on('markActivitySeen', () => {
      seen = true
      return { unread: 0 }
    })
}

const links = () => within(screen.getByRole('main')).getAllByRole('link')

test('entries are listed under their days, and the arrow keys lead to the subject of one', async () => {
  const { user, history } = renderView(<ActivityView />, { gateway: createGateway() })
  const first = await screen.findByRole('region', { name: '21 Nov' })
  expect(within(first).getAllByRole('link')).toHaveLength(2)
  expect(within(screen.getByRole('region', { name: '19 Nov' })).getAllByRole('link')).toHaveLength(1)
  links()[0]?.focus()
  await user.keyboard('{End}{ArrowUp}{Enter}')
  expect(history.at(-1)).toBe('/providers?edit=openai')
  expect(links().map(({ tabIndex }) => tabIndex)).toEqual([-1, 0, -1])
})

test('the sidebar counts what is unread until the list is shown, where it stays marked as new', async () => {
  const gateway = createGateway()
  const { rerender } = renderView(<Sidebar />, { gateway })
  const link = screen.getByRole('link', { name: 'Activity' })
  await waitFor(() => expect(link.textContent).toBe('Activity1'))
  expect(link.getAttribute('aria-description')).toBe('1 unread')
  rerender(
    <>
      <Sidebar />
      <ActivityView />
    </>,
  )
  await waitFor(() => expect(screen.getByRole('link', { name: 'Activity' }).textContent).toBe('Activity'))
  expect(gateway.listCalls('markActivitySeen')).toMatchObject([{ body: { until: 'act_4' } }])
  gateway.send({ type: 'activity' })
  await waitFor(() => expect(gateway.listCalls('listActivity').length).toBeGreaterThan(3))
  expect(links().map(({ textContent }) => textContent?.includes('New'))).toEqual([true, false, false])
})

test('nothing is marked as seen by a hidden window, or by a list of one kind', async () => {
  const gateway = createGateway()
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  const { user } = renderView(<ActivityView />, { gateway })
  await screen.findByRole('region', { name: '21 Nov' })
  await user.click(screen.getByRole('combobox', { name: 'Show' }))
  await user.click(screen.getByRole('option', { name: 'Keys paused' }))
  await waitFor(() => expect(links()).toHaveLength(1))
  visibility.mockReturnValue('visible')
  fireEvent(document, new Event('visibilitychange'))
  expect(gateway.listCalls('markActivitySeen')).toEqual([])
  await user.click(screen.getByRole('combobox', { name: 'Show' }))
  await user.click(screen.getByRole('option', { name: 'Everything' }))
  await waitFor(() => expect(gateway.listCalls('markActivitySeen')).toHaveLength(1))
})

test('a new entry appears by itself', async () => {
  const gateway = new FakeGateway()
  renderView(<ActivityView />, { gateway })
  await screen.findByText('Nothing has happened yet')
  gateway.on('listActivity', () => ({
    data: [activityEntry('act_1', { kind: 'provider-recovered', subject: provider })],
    nextCursor: null,
    unread: 0,
  }))
  gateway.send({ type: 'activity' })
  expect(await screen.findByText('OpenAI works again')).toBeDefined()
})
