import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { test } from './app.ts'

const dumps = (dataDir: string) =>
  readdirSync(join(dataDir, 'crashes'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.dmp'),
  )

test('a crash is reported at the next start, without its memory; a window that hangs can be loaded again', async ({
  launcher,
}) => {
  const first = await launcher.launch()
  const child = first.electron.process()
  const exited = once(child, 'exit')
  // The call cannot be answered by a process that crashes.
  void first.electron.evaluate(() => process.crash()).catch(() => {})
  await exited
  expect(dumps(first.dataDir)).toHaveLength(1)

  const second = await launcher.launch({ dataDir: first.dataDir })
  const banner = second.window.getByRole('alert').filter({ hasText: 'did not end properly' })
  await expect(banner).toContainText('Tollgate crashed in native code. No recorded charge was lost')
  expect(dumps(first.dataDir)).toEqual([])
  await banner.getByRole('button', { name: 'Show report' }).click()
  const dialog = second.window.getByRole('dialog', { name: 'Crash report' })
  await expect(dialog).toContainText(/SIG[A-Z]+ in \S+ \+ 0x|exception 0x/)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await banner.getByRole('button', { name: 'Dismiss' }).click()
  await expect(banner).toBeHidden()

  // Chromium asks after half a minute without an answer to input.
  await second.electron.evaluate(({ BrowserWindow, dialog: dialogs }) => {
    dialogs.showMessageBox = async () => ({ response: 1, checkboxChecked: false })
    BrowserWindow.getAllWindows()[0]?.emit('unresponsive')
  })
  // The page that offers to load it again has a new process, which Playwright's page object does not follow.
  const where = () =>
    second.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getURL())
  await expect.poll(where).toContain('app://tollgate/failed')
  await second.quit()
  expect(existsSync(join(first.dataDir, 'running.json'))).toBe(false)
})
