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
  await expect(dialog).toContainText('Tollgate crashed in native code.')
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

test('a gateway that fails is started again at its address, and the window says so', async ({ launcher }) => {
  const app = await launcher.launch()
  const { baseUrl } = await app.state()
  await app.electron.evaluate(failGateway)
  const banner = app.window.getByRole('alert').filter({ hasText: 'The gateway was started again.' })
  await expect(banner).toContainText('No recorded charge was lost')
  const ask = () => fetch(`${baseUrl}/v1/models`).then(({ status }) => status, String)
  await expect.poll(ask).toBe(401)
  await banner.getByRole('button', { name: 'Dismiss' }).click()
  await app.quit()
})

/** Throws an error in the gateway's thread, as a debugger can. Runs in the main process. */
function failGateway(): Promise<void> {
  const { Session }: typeof import('node:inspector') = process.getBuiltinModule('node:inspector')
  const session = new Session()
  session.connect()
  return new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      if (!workerInfo.title.endsWith(' gateway')) return
      const expression = 'setImmediate(() => { throw new Error("made up") })'
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
      session.post('NodeWorker.sendMessageToWorker', { sessionId, message })
    })
    session.on('NodeWorker.receivedMessageFromWorker', ({ params: { message } }) => {
      if (JSON.parse(message).id !== 1) return
      session.disconnect()
      resolve()
    })
    session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  })
}
