// Change a switch, a field, a choice and a checkbox, and check that they are stored.
import { expect } from '@playwright/test'
import { Account, Settings } from '../../src/shared/api/account.ts'
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

  const days = driver.name === 'mouse' ? 30 : 365
  await driver.select(window.getByRole('combobox', { name: 'Keep requests for' }), `${days} days`)
  await expect.poll(stored).toMatchObject({ retentionDays: days })

  await driver.fill(window.getByLabel('Spend alerts', { exact: true }), '80, 100')
  await driver.leaveField()
  await expect.poll(stored).toMatchObject({ notifyAtPercent: [80, 100] })

  await driver.select(window.getByRole('combobox', { name: 'Theme' }), 'Dark')
  await expect(window.locator('html')).toHaveAttribute('data-theme', 'dark')
  await driver.select(window.getByRole('combobox', { name: 'Theme' }), 'System')
}
