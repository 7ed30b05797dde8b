import { act, screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Account, AccountUpdate } from '../../../shared/api/account.ts'
import type { KeyMetadata, KeyUpdate } from '../../../shared/api/keys.ts'
import { LimitBanner } from '../../app/banners.tsx'
import { showCapAlert } from '../../app/toasts.tsx'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import {
  account as accountRow,
  accountWithLimit,
  keyRow,
  patchAccount,
  patchKey,
} from '../../testing/rows.ts'
import { ErrorAction } from './error-action.tsx'
import { openLimitDialog } from './limit-dialog-state.ts'
import { LimitDialog } from './limit-form.tsx'

let key: KeyMetadata
let account: Account
let gateway: FakeGateway

beforeEach(() => {
  key = keyRow('key_1', { name: 'Editor', spendUsd: 5.2, spendLimitUsd: 5 })
  account = accountWithLimit(20, { monthSpendUsd: 20.4 })
  gateway = new FakeGateway()
    .on('listKeys', () => ({
      data: [key, keyRow('key_2', { name: 'Playground', purpose: 'playground', spendLimitUsd: 1 })],
    }))
    .on('getAccount', () => account)
    .on('updateKey', ({ body }) => {
      key = patchKey(key, body as KeyUpdate)
      return key
    })
    .on('updateAccount', ({ body }) => {
      account = patchAccount(account, body as AccountUpdate)
      return account
    })
})

const error = (code: string | null, type = 'insufficient_quota') => ({ type, code })

test('the cap that stopped a request is raised next to its error', async () => {
  const { user } = renderView(<ErrorAction error={error('spend_limit_reached')} keyId="key_1" />, { gateway })
  await user.click(await screen.findByRole('button', { name: 'Raise cap' }))
  const panel = screen.getByRole('dialog', { name: 'Cap of Editor' })
  await user.click(within(panel).getByRole('button', { name: 'Raise by $5' }))
  expect(within(panel).getByLabelText('Spend cap (USD)')).toHaveProperty('value', '10.2')
  await user.click(within(panel).getByRole('button', { name: 'Save' }))
  await screen.findByRole('button', { name: 'Edit cap' })
  expect(gateway.listCalls('updateKey')).toMatchObject([{ id: 'key_1', body: { spendLimitUsd: 10.2 } }])
})

test('without a key, the cap of the playground is raised', async () => {
  const { user } = renderView(<ErrorAction error={error('spend_limit_reached')} keyId={null} />, { gateway })
  await user.click(await screen.findByRole('button', { name: 'Edit cap' }))
  expect(screen.getByRole('dialog', { name: 'Cap of Playground' })).toBeDefined()
})

test('the limit that an error names is raised, of the key or of the account', async () => {
  const day = { usd: 2, per: 'day', spentUsd: 2, reservedUsd: 0, resetsAt: null } as const
  key = { ...key, spendLimits: [{ ...day, per: 'month' }, day] }
  account = { ...account, spendLimits: [{ ...day, tag: 'website' }] }
  const stop = { ...error('spend_limit_reached'), param: 'spendLimits[1]' }
  const { user, rerender } = renderView(<ErrorAction error={stop} keyId="key_1" />, { gateway })
  await user.click(await screen.findByRole('button', { name: 'Raise limit' }))
  expect(screen.getByRole('dialog', { name: 'Limit per day' })).toBeDefined()
  await user.keyboard('{Escape}')
  rerender(
    <ErrorAction error={{ ...error('account_limit_reached'), param: 'spendLimits[0]' }} keyId="key_1" />,
  )
  await user.click(await screen.findByRole('button', { name: 'Raise limit' }))
  expect(screen.getByRole('dialog', { name: 'Limit per day in website' })).toBeDefined()
})

test('the cap of a revoked key is not raised', async () => {
  key = { ...key, revokedAt: '2026-11-02T00:00:00.000Z' }
  renderView(<ErrorAction error={error('spend_limit_reached')} keyId="key_1" />, { gateway })
  expect(await screen.findByRole('link', { name: 'Open Keys' })).toBeDefined()
  expect(screen.queryByRole('button', { name: /cap$/ })).toBeNull()
})

test.each([
  ['key_rate_limit', 'rate_limit_exceeded', 'Change the limit', '/keys?edit=key_1'],
  ['plan_rate_limit', 'rate_limit_exceeded', 'Change the limit', '/settings#requests-per-minute'],
  ['model_unpriced', 'invalid_request_error', 'Set its price', '/models?edit=local%2Fnew'],
])('%s links to the field to change', async (code, type, label, href) => {
  renderView(<ErrorAction error={error(code, type)} keyId="key_1" model="local/new" />, { gateway })
  const link = await screen.findByRole('link', { name: label })
  await expect.poll(() => link.getAttribute('href')).toBe(href)
})

test('a banner raises the monthly limit while it rejects every request', async () => {
  const { user } = renderView(<LimitBanner />, { gateway })
  const banner = await screen.findByRole('alert')
  expect(banner.textContent).toContain('$20.40 of $20.00 spent.')
  await user.click(within(banner).getByRole('button', { name: 'Raise limit' }))
  await user.click(screen.getByRole('button', { name: 'Raise by $20' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await expect.poll(() => screen.queryByRole('alert')).toBeNull()
  expect(gateway.listCalls('updateAccount')).toMatchObject([{ body: { monthlyLimitUsd: 40.4 } }])
})

test('a banner raises another limit of the account, and says which requests it rejects', async () => {
  const limit = {
    usd: 10,
    per: 'day',
    tag: 'website',
    spentUsd: 10.5,
    reservedUsd: 0,
    resetsAt: null,
  } as const
  const warning = { ...limit, tag: 'docs', action: 'warn' } as const
  account = { ...accountRow, spendLimits: [warning, limit] }
  const { user } = renderView(<LimitBanner />, { gateway })
  const banner = await screen.findByRole('alert')
  expect(banner.textContent).toContain('The limit of $10.00 per day in website is reached.')
  expect(banner.textContent).toContain('Requests in website are rejected')
  await user.click(within(banner).getByRole('button', { name: 'Raise limit' }))
  await user.click(screen.getByRole('button', { name: 'Raise by $1' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await expect.poll(() => screen.queryByRole('alert')).toBeNull()
  expect(gateway.listCalls('updateAccount')).toMatchObject([
    {
      body: {
        spendLimits: [
          { usd: 10, per: 'day', tag: 'docs', action: 'warn' },
          { usd: 11.5, per: 'day', tag: 'website' },
        ],
      },
    },
  ])
})

test('a limit per session is set for a key that has none', async () => {
  const { user } = renderView(<LimitDialog />, { gateway })
  act(() => openLimitDialog('key_1', { per: 'session' }))
  const dialog = await screen.findByRole('dialog', { name: 'Limit of “Editor”' })
  await user.type(within(dialog).getByLabelText('Limit per session (USD)'), '3')
  await user.click(within(dialog).getByRole('button', { name: 'Save' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(gateway.listCalls('updateKey')).toMatchObject([
    {
      body: {
        spendLimits: [
          { usd: 5, per: 'lifetime' },
          { usd: 3, per: 'session' },
        ],
      },
    },
  ])
})

test('the monthly limit can be removed', async () => {
  const { user } = renderView(<ErrorAction error={error('account_limit_reached')} keyId="key_1" />, {
    gateway,
  })
  await user.click(await screen.findByRole('button', { name: 'Raise limit' }))
  await user.click(screen.getByRole('button', { name: 'Remove limit' }))
  await screen.findByRole('button', { name: 'Set limit' })
  expect(gateway.listCalls('updateAccount')).toMatchObject([{ body: { monthlyLimitUsd: null } }])
})

test('the toast of a cap alert opens the cap over any view', async () => {
  const { user } = renderView(<LimitDialog />, { gateway })
  showCapAlert({
    keyId: 'key_1',
    name: 'Editor',
    percent: 100,
    spentUsd: 5.2,
    limitUsd: 5,
    limit: { per: 'lifetime', index: 0 },
  })
  expect(await screen.findByText(/\$5\.20 of \$5\.00 spent/)).toBeDefined()
  await user.click(await screen.findByRole('button', { name: 'Raise cap' }))
  const dialog = await screen.findByRole('dialog', { name: 'Cap of “Editor”' })
  await user.click(within(dialog).getByRole('button', { name: 'Raise by $1' }))
  await user.click(within(dialog).getByRole('button', { name: 'Save' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(gateway.listCalls('updateKey')).toMatchObject([{ body: { spendLimitUsd: 6.2 } }])
})
