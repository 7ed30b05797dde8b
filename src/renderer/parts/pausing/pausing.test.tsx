import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Account, GuardAlert } from '../../../shared/api/account.ts'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { PauseBanner } from '../../app/banners.tsx'
import { PauseDialog } from '../../app/overlays.tsx'
import { showGuardAlert, Toasts } from '../../app/toasts.tsx'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { PausedKey } from '../../features/keys/key-details.tsx'
import { FakeGateway } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { account as accountRow, accountWithLimit, keyRow, patchKey } from '../../testing/rows.ts'
import { openPauseDialog } from './pausing.ts'

const AT = '2026-11-22T10:00:00.000Z'
const REASON = 'It sent the same prompt 30 times, which cost $3.28.'

let account: Account
let key: KeyMetadata
let gateway: FakeGateway

beforeEach(() => {
  account = { ...accountRow }
  key = keyRow('key_1', { name: 'Agent', pausedAt: AT, pauseReason: REASON })
  gateway = new FakeGateway()
    .on('getAccount', () => account)
    .on('listKeys', () => ({ data: [key] }))
    .on('pauseAll', () => {
      account = { ...account, pausedAt: AT }
      return account
    })
    .on('resumeAll', () => {
      account = { ...account, pausedAt: null }
      return account
    })
    .on('pauseKey', () => key)
    .on('resumeKey', () => ({ ...key, pausedAt: null, pauseReason: null }))
    .on('updateKey', () => key)
})

test('the address that the menu opens asks what happens to running requests, and a banner resumes', async () => {
  const view = (
    <>
      <PauseBanner />
      <PauseDialog />
    </>
  )
  const { user } = renderView(view, { gateway, path: '/?pause=everything' })
  const dialog = await screen.findByRole('dialog', { name: 'Pause everything?' })
  await user.click(within(dialog).getByLabelText(/End running requests/))
  await user.click(within(dialog).getByRole('button', { name: 'Pause everything' }))
  const banner = await screen.findByRole('alert')
  expect(gateway.listCalls('pauseAll')).toMatchObject([{ body: { running: 'end' } }])
  expect(screen.queryByRole('dialog')).toBeNull()
  await user.click(within(banner).getByRole('button', { name: 'Resume' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test('a key is paused, and what runs may finish unless the user wants it otherwise', async () => {
  const { user } = renderView(<PauseDialog />, { gateway })
  openPauseDialog({ id: 'key_1', name: 'Agent' })
  const dialog = await screen.findByRole('dialog', { name: 'Pause “Agent”?' })
  await user.click(within(dialog).getByRole('button', { name: 'Pause key' }))
  await waitFor(() =>
    expect(gateway.listCalls('pauseKey')).toMatchObject([{ id: 'key_1', body: { running: 'finish' } }]),
  )
})

test('a paused key says why, and is resumed or revoked', async () => {
  const onRevoke = vi.fn()
  const { user } = renderView(<PausedKey record={key} onRevoke={onRevoke} />, { gateway })
  expect(screen.getByText(REASON, { exact: false })).toBeDefined()
  expect(screen.queryByRole('button', { name: /Raise/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Revoke' }))
  expect(onRevoke).toHaveBeenCalledOnce()
  await user.click(screen.getByRole('button', { name: 'Resume' }))
  await waitFor(() => expect(gateway.listCalls('resumeKey')).toMatchObject([{ id: 'key_1' }]))
})

test('if its cap is used up, it is raised by $5 above what is spent, and resumed', async () => {
  const full = patchKey({ ...key, spendUsd: 5.2 }, { spendLimitUsd: 5 })
  const { user } = renderView(<PausedKey record={full} onRevoke={() => {}} />, { gateway })
  await user.click(screen.getByRole('button', { name: 'Raise by $5' }))
  await waitFor(() => expect(gateway.listCalls('resumeKey')).toHaveLength(1))
  expect(gateway.listCalls('updateKey')).toMatchObject([
    { id: 'key_1', body: { spendLimits: [{ usd: 10.2, per: 'lifetime' }] } },
  ])
})

test('every limit that stops the key is raised, of the key and of the account, and it is said by how much', async () => {
  const day = { usd: 2, per: 'day', spentUsd: 2, reservedUsd: 0, resetsAt: null } as const
  account = accountWithLimit(20, { monthSpendUsd: 20.4 })
  gateway.on('updateAccount', () => account)
  const full = { ...key, spendLimits: [day, { ...day, per: 'week', action: 'warn' } as const] }
  const { user } = renderView(<PausedKey record={full} onRevoke={() => {}} />, { gateway })
  await screen.findByText(
    'If you raise it by $5, the daily cap of $2.00 becomes $7.00 and the monthly limit of $20.00 of all keys becomes $25.40.',
  )
  await user.click(screen.getByRole('button', { name: 'Raise by $5' }))
  await waitFor(() => expect(gateway.listCalls('resumeKey')).toHaveLength(1))
  expect(gateway.listCalls('updateKey')).toMatchObject([
    {
      body: {
        spendLimits: [
          { usd: 7, per: 'day' },
          { usd: 2, per: 'week', action: 'warn' },
        ],
      },
    },
  ])
  expect(gateway.listCalls('updateAccount')).toMatchObject([
    { body: { spendLimits: [{ usd: 25.4, per: 'month' }] } },
  ])
})

test('the toast of the guard resumes the key, raising what stopped it', async () => {
  account = accountWithLimit(20, { monthSpendUsd: 20 })
  gateway.install().on('updateAccount', () => account)
  await queryClient.fetchQuery(queries.keys)
  await queryClient.fetchQuery(queries.account)
  const { user } = renderView(<Toasts />, { gateway })
  const alert = {
    keyId: 'key_1',
    name: 'Agent',
    cause: 'refusals',
    reason: REASON,
    requests: 300,
    costUsd: 0,
  }
  showGuardAlert(alert as GuardAlert)
  await user.click(await screen.findByRole('button', { name: 'Raise by $5' }))
  await waitFor(() => expect(gateway.listCalls('resumeKey')).toHaveLength(1))
  expect(gateway.listCalls('updateAccount')).toMatchObject([
    { body: { spendLimits: [{ usd: 25, per: 'month' }] } },
  ])
})
