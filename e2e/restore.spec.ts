import { expect } from '@playwright/test'
import { test } from './app.ts'
import { createKey, keyRow, open } from './views.ts'

test('restoring a backup replaces the data at the next start', async ({ launcher }) => {
  const first = await launcher.launch()
  await createKey(first.window, 'Before')
  await open(first.window, 'Settings')
  await first.window.getByRole('button', { name: 'Back up now' }).click()
  const backup = first.window.getByRole('list', { name: 'Backups' }).getByRole('listitem').first()
  await expect(first.window.getByText(/^Backup created/)).toBeVisible()
  await createKey(first.window, 'After')
  await open(first.window, 'Settings')
  await backup.getByRole('button', { name: /^Restore the backup/ }).click()
  await first.window.getByRole('alertdialog').getByRole('button', { name: 'Restore at next start' }).click()
  await expect(backup).toContainText('At next start')
  await first.quit()

  const { window } = await launcher.launch({ dataDir: first.dataDir })
  await open(window, 'Keys')
  await expect(keyRow(window, 'Before')).toBeVisible()
  await expect(keyRow(window, 'After')).toBeHidden()
})
