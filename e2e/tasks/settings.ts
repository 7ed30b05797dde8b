// Settings: the main switch of each section, thrown and found again in the gateway.
import { expect } from '@playwright/test'
import { Account, Settings } from '../../src/shared/account.ts'
import { RequestList } from '../../src/shared/requests.ts'
import type { Task } from './task.ts'

export const settings: Task = async (hand, { window, get, state }) => {
  const stored = () => get('/v1/settings', Settings)
  await hand.go('Settings')

  const login = window.getByRole('switch', { name: 'Launch at login' })
  await hand.flip(login)
  await expect.poll(async () => (await state()).launchAtLogin).toBe(true)
  await hand.flip(login)
  await expect.poll(async () => (await state()).launchAtLogin).toBe(false)

  await hand.write(window.getByLabel('Monthly limit', { exact: true }), '250')
  await hand.send(window.getByRole('button', { name: 'Save monthly limit' }))
  await expect.poll(() => get('/v1/account', Account)).toMatchObject({ monthlyLimitUsd: 250 })

  const kept = hand.name === 'mouse' ? 30 : 365
  await hand.choose(window.getByRole('combobox', { name: 'Keep requests for' }), `${kept} days`)
  await expect.poll(stored).toMatchObject({ retentionDays: kept })

  const bodies = window.getByRole('switch', { name: 'Store prompts and answers' })
  await hand.flip(bodies)
  await expect.poll(stored).toMatchObject({ storeBodies: true })
  await hand.flip(bodies)
  await expect.poll(stored).toMatchObject({ storeBodies: false })

  await hand.press(window.getByRole('button', { name: 'Delete…' }))
  await hand.press(window.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }))
  // What an earlier task has had stored.
  await expect(window.getByText(/^(Deleted those of \d+ requests?|None were stored)\.$/)).toBeVisible()
  const { data } = await get('/v1/requests', RequestList)
  expect(data.filter(({ bodiesKept }) => bodiesKept)).toEqual([])

  await hand.write(window.getByLabel('Largest size of the log', { exact: true }), '512')
  await hand.send(window.getByRole('button', { name: 'Save largest size of the log' }))
  await expect.poll(stored).toMatchObject({ maxLogMb: 512 })

  await hand.write(window.getByLabel('Origin', { exact: true }), 'https://example.org')
  await hand.send(window.getByRole('button', { name: 'Allow origin' }))
  await expect.poll(stored).toMatchObject({ allowedOrigins: ['https://example.org'] })
  await hand.press(window.getByRole('button', { name: 'Remove https://example.org' }))
  await expect.poll(stored).toMatchObject({ allowedOrigins: [] })

  const half = window.getByRole('checkbox', { name: '50 %' })
  await hand.flip(half)
  await expect.poll(stored).toMatchObject({ notifyAtPercent: [80, 100] })
  await hand.flip(half)
  await expect.poll(stored).toMatchObject({ notifyAtPercent: [50, 80, 100] })

  await hand.press(window.getByRole('button', { name: 'Back up now' }))
  // The gateway makes some of its own accord; until this is said, the first in the list may be one of those.
  await expect(window.getByText(/^Backed up/)).toBeVisible()
  const backup = window.getByRole('list', { name: 'Backups' }).getByRole('listitem').first()
  await hand.press(backup.getByRole('button', { name: /^Restore the backup/ }))
  await hand.press(window.getByRole('alertdialog').getByRole('button', { name: 'Restore at next start' }))
  await expect(backup).toContainText('At next start')
  await hand.press(window.getByRole('button', { name: 'Cancel restore' }))
  await expect(backup).not.toContainText('At next start')

  await hand.choose(window.getByRole('combobox', { name: 'Theme' }), 'Dark')
  await expect(window.locator('html')).toHaveAttribute('data-theme', 'dark')
  await hand.choose(window.getByRole('combobox', { name: 'Theme' }), 'System')
}
