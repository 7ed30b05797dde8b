// Change the main setting of each section and check that the gateway stored it.
import { expect } from '@playwright/test'
import { Account, Settings } from '../../src/shared/api/account.ts'
import { RequestList } from '../../src/shared/api/request-queries.ts'
import type { Task } from './task.ts'

export const settings: Task = async (driver, { window, get, state }) => {
  const stored = () => get('/v1/settings', Settings)
  await driver.goTo('Settings')

  const login = window.getByRole('switch', { name: 'Launch at login' })
  await driver.toggle(login)
  await expect.poll(async () => (await state()).launchAtLogin).toBe(true)
  await driver.toggle(login)
  await expect.poll(async () => (await state()).launchAtLogin).toBe(false)

  await driver.fill(window.getByLabel('Monthly limit', { exact: true }), '250')
  await driver.leaveField()
  await expect.poll(() => get('/v1/account', Account)).toMatchObject({ monthlyLimitUsd: 250 })
  const saved = window.getByRole('listitem').filter({ hasText: 'Monthly limit saved.' })
  await driver.press(saved.getByRole('button', { name: 'Undo' }))
  await expect.poll(() => get('/v1/account', Account)).toMatchObject({ monthlyLimitUsd: null })

  const discount = window.getByRole('switch', { name: 'Negotiated discount' })
  await driver.toggle(discount)
  await expect(window.getByText(/^Recorded costs are 20% below list price\./)).toBeVisible()
  await expect.poll(() => get('/v1/account', Account)).toMatchObject({ plan: 'bundle' })
  await driver.toggle(discount)
  await expect.poll(() => get('/v1/account', Account)).toMatchObject({ plan: 'pay-as-you-go' })

  const containers = window.getByRole('switch', { name: 'Let containers reach the gateway' })
  await driver.toggle(containers)
  await expect.poll(stored).toMatchObject({ containerAccess: true })
  await driver.toggle(containers)
  await expect.poll(stored).toMatchObject({ containerAccess: false })

  const days = driver.name === 'mouse' ? 30 : 365
  await driver.select(window.getByRole('combobox', { name: 'Keep requests for' }), `${days} days`)
  await expect.poll(stored).toMatchObject({ retentionDays: days })

  const bodies = window.getByRole('combobox', { name: 'Store prompts and answers' })
  await driver.select(bodies, 'Always')
  await expect.poll(stored).toMatchObject({ storeBodies: true })
  await driver.select(bodies, 'For 30 minutes')
  await expect.poll(stored).toMatchObject({ storeBodies: false, storeBodiesUntil: expect.any(String) })
  await driver.select(bodies, 'Off')
  await expect.poll(stored).toMatchObject({ storeBodies: false, storeBodiesUntil: null })

  await driver.press(window.getByRole('button', { name: 'Delete…' }))
  await driver.press(window.getByRole('alertdialog').getByRole('button', { name: 'Delete', exact: true }))
  // An earlier task stored some bodies.
  await expect(
    window.getByText(/^(Deleted the prompts and answers of \d+ requests?|Nothing to delete)\.$/),
  ).toBeVisible()
  const { data } = await get('/v1/requests', RequestList)
  expect(data.filter(({ bodiesKept }) => bodiesKept)).toEqual([])

  await driver.fill(window.getByLabel('Maximum request log size', { exact: true }), '512')
  await driver.leaveField()
  await expect.poll(stored).toMatchObject({ maxLogMb: 512 })

  await driver.fill(window.getByLabel('Origin', { exact: true }), 'https://example.org')
  await driver.submit(window.getByRole('button', { name: 'Allow origin' }))
  await expect.poll(stored).toMatchObject({ allowedOrigins: ['https://example.org'] })
  await driver.press(window.getByRole('button', { name: 'Remove https://example.org' }))
  await expect.poll(stored).toMatchObject({ allowedOrigins: [] })

  const half = window.getByRole('checkbox', { name: '50%' })
  await driver.toggle(half)
  await expect.poll(stored).toMatchObject({ notifyAtPercent: [80, 100] })
  await driver.toggle(half)
  await expect.poll(stored).toMatchObject({ notifyAtPercent: [50, 80, 100] })

  await driver.press(window.getByRole('button', { name: 'Back up now' }))
  // Until this is shown, the first in the list may be one of the gateway's automatic backups.
  await expect(window.getByText(/^Backup created/)).toBeVisible()
  const backup = window.getByRole('list', { name: 'Backups' }).getByRole('listitem').first()
  await driver.press(backup.getByRole('button', { name: /^Restore the backup/ }))
  await driver.press(window.getByRole('alertdialog').getByRole('button', { name: 'Restore at next start' }))
  await expect(backup).toContainText('At next start')
  await driver.press(window.getByRole('button', { name: 'Cancel restore' }))
  await expect(backup).not.toContainText('At next start')

  await driver.select(window.getByRole('combobox', { name: 'Theme' }), 'Dark')
  await expect(window.locator('html')).toHaveAttribute('data-theme', 'dark')
  await driver.select(window.getByRole('combobox', { name: 'Theme' }), 'System')
}
