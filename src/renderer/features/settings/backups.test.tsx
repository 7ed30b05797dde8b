import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import type { Backup } from '../../../shared/api/account.ts'
import { noUsage } from '../../data/periods.ts'
import { FakeGateway, usage } from '../../testing/fake-gateway.ts'
import { renderView } from '../../testing/render.tsx'
import { keyRow } from '../../testing/rows.ts'
import { Backups } from './backups.tsx'

const backup = (day: number): Backup => ({
  id: `backup-${day}.db`,
  madeAt: `2026-11-${String(day).padStart(2, '0')}T12:00:00.000Z`,
  bytes: 1_500_000,
  imported: false,
  keys: null,
})

/** A gateway that has these backups and restores one of them at its next start. */
function createGatewayWith(...backups: Backup[]) {
  let restoreAtStart: string | null = null
  const list = () => ({ data: backups, restoreAtStart })
  return new FakeGateway()
    .on('listBackups', list)
    .on('createBackup', () => {
      const created = backup(21)
      backups = [created, ...backups]
      return created
    })
    .on('restoreBackup', ({ id }) => {
      restoreAtStart = id
      return list()
    })
    .on('cancelRestore', () => {
      restoreAtStart = null
      return list()
    })
}

const renderBackups = (gateway: FakeGateway) => renderView(<Backups credentials="keychain" />, { gateway })
const findBackups = async () =>
  within(await screen.findByRole('list', { name: 'Backups' })).getAllByRole('listitem')

test('a backup is created and listed first', async () => {
  const { user } = renderBackups(createGatewayWith(backup(20)))
  expect(await findBackups()).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'Back up now' }))
  expect(await screen.findByText('Backup created (1.5 MB).')).toBeDefined()
  await waitFor(async () => expect(await findBackups()).toHaveLength(2))
  expect((await findBackups())[0]?.textContent).toContain('21 Nov 2026')
})

test('a failed backup is reported in the section', async () => {
  const { user } = renderBackups(createGatewayWith().fail('createBackup', 'The disk is full.'))
  await screen.findByText('No backups yet.')
  await user.click(screen.getByRole('button', { name: 'Back up now' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The disk is full.')
})

test('only the newest backups are shown until the user expands the list', async () => {
  const { user } = renderBackups(createGatewayWith(...[20, 19, 18, 17, 16, 15].map(backup)))
  expect(await findBackups()).toHaveLength(5)
  await user.click(screen.getByRole('button', { name: 'Show all 6' }))
  expect(await findBackups()).toHaveLength(6)
  await user.click(screen.getByRole('button', { name: 'Show fewer' }))
  expect(await findBackups()).toHaveLength(5)
})

test('before a restore, the dialog says what it undoes', async () => {
  const gateway = createGatewayWith(backup(20))
    .on('listKeys', () => ({
      data: [
        keyRow('key_1', { name: 'Old', createdAt: '2026-11-01T09:00:00.000Z' }),
        keyRow('key_2', { name: 'New', createdAt: '2026-11-21T09:00:00.000Z' }),
      ],
    }))
    .on('getUsage', ({ query }) => ({
      ...usage(query, []),
      total: { ...noUsage, requests: 12, costUsd: 3.2 },
    }))
  const { user } = renderBackups(gateway)
  await findBackups()
  await user.click(screen.getByRole('button', { name: /^Restore the backup of 20 Nov 2026/ }))
  const dialog = screen.getByRole('alertdialog')
  await within(dialog).findByText(/^\$3\.20 spent since then by 12 requests is no longer counted/)
  expect(await within(dialog).findByText('The key “New”, created since, stops working.')).toBeDefined()
  expect(within(dialog).queryByText(/Old/)).toBeNull()
  expect(gateway.listCalls('restoreBackup')).toEqual([])
})

test('a scheduled restore is shown and can be canceled', async () => {
  const gateway = createGatewayWith(backup(20), backup(19))
  const { user } = renderBackups(gateway)
  await findBackups()
  await user.click(screen.getByRole('button', { name: /^Restore the backup of 19 Nov 2026/ }))
  await user.click(screen.getByRole('button', { name: 'Restore at next start' }))
  const pending = await screen.findByText(/The backup of 19 Nov 2026.* replaces the current data/)
  expect(pending.closest('[role=status]')).not.toBeNull()
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect((await findBackups())[1]?.textContent).toContain('At next start')
  await user.click(screen.getByRole('button', { name: 'Cancel restore' }))
  await waitFor(() => expect(screen.queryByText(/replaces the current data/)).toBeNull())
})

test('a backup is exported as a file', async () => {
  const saved: { name: string; file: Blob }[] = []
  let file = new Blob()
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (blob: Blob) => {
        file = blob
        return 'blob:backup'
      },
      revokeObjectURL: () => undefined,
    }),
  )
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push({ name: this.download, file })
  })
  const { user } = renderBackups(createGatewayWith(backup(20)))
  await findBackups()
  await user.click(screen.getByRole('button', { name: /^Export the backup of 20 Nov 2026/ }))
  await waitFor(() => expect(saved).toHaveLength(1))
  expect([saved[0]?.name, await saved[0]?.file.text()]).toEqual(['backup-20.db', 'The file of backup-20.db'])
})

test('an imported file is listed and offered for a restore, which revokes its keys unless they are kept', async () => {
  const keys = [
    { name: 'Admin', scope: 'admin' },
    { name: 'CI', scope: 'full' },
  ]
  const imported = { ...backup(3), id: 'imported-3.db', imported: true, keys }
  const backups = [backup(20)]
  const gateway = createGatewayWith()
    .on('listBackups', () => ({ data: backups, restoreAtStart: null }))
    .on('importBackup', () => {
      backups.unshift(imported)
      return imported
    })
  const { user } = renderBackups(gateway)
  await findBackups()
  await user.upload(screen.getByLabelText('Backup file'), new File(['data'], 'tollgate.db'))
  const dialog = await screen.findByRole('alertdialog', {
    name: /^Restore the imported backup of 3 Nov 2026/,
  })
  for (const text of [
    /^Restore only a file that you made/,
    /^All keys, spend, requests, settings and providers are replaced/,
    'All keys stop working, also those in the file.',
    '“Admin”, “CI”',
    /^Providers that are not at their vendor’s address are disabled/,
  ])
    expect(within(dialog).getByText(text)).toBeDefined()
  expect(screen.getByText('Imported').closest('li')?.textContent).toContain('3 Nov 2026')
  await user.click(within(dialog).getByRole('checkbox', { name: /^Keep the keys in the file/ }))
  expect(within(dialog).getByText('Keys that are not in the file stop working.')).toBeDefined()
  await user.click(within(dialog).getByRole('button', { name: 'Restore at next start' }))
  await waitFor(() =>
    expect(gateway.listCalls('restoreBackup')).toMatchObject([{ body: { keepKeys: true } }]),
  )
})

test('a file that is no backup is reported', async () => {
  const gateway = createGatewayWith().fail('importBackup', 'This file is not a backup of Tollgate.', 400)
  const { user } = renderBackups(gateway)
  await screen.findByText('No backups yet.')
  await user.upload(screen.getByLabelText('Backup file'), new File(['data'], 'other.db'))
  expect((await screen.findByRole('alert')).textContent).toBe('This file is not a backup of Tollgate.')
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a restore that cannot be scheduled leaves the dialog open with the error', async () => {
  const gateway = createGatewayWith(backup(20)).fail('restoreBackup', 'The backup is damaged.')
  const { user } = renderBackups(gateway)
  await findBackups()
  await user.click(screen.getByRole('button', { name: /^Restore the backup/ }))
  await user.click(screen.getByRole('button', { name: 'Restore at next start' }))
  const dialog = screen.getByRole('alertdialog')
  expect((await within(dialog).findByRole('alert')).textContent).toBe('The backup is damaged.')
})
