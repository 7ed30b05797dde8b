import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { KeyCreated, KeyList } from '../src/shared/api/keys.ts'
import { LOG_FILE } from '../src/shared/desktop/log-file.ts'
import { type App, shareApp, test } from './app.ts'
import { callModel, createKey, openMeter } from './views.ts'

const shared = shareApp()

const heading = (app: App, name: string) => app.window.getByRole('heading', { level: 1, name })

/** Chooses an item of the application menu, as its shortcut does, once the menu has it. */
async function choose(app: App, menu: string, item: string): Promise<void> {
  const click = () =>
    app.electron.evaluate(
      ({ Menu }, [menuName, itemName]) => {
        const found = Menu.getApplicationMenu()
          ?.items.find(({ label }) => label === menuName)
          ?.submenu?.items.find(({ label }) => label === itemName)
        found?.click()
        return found !== undefined
      },
      [menu, item] as const,
    )
  await expect.poll(click, `${menu} → ${item}`).toBe(true)
}

/** Reports notifications as supported, and records them instead of showing them. */
async function catchNotifications(app: App): Promise<void> {
  await app.electron.evaluate(({ Notification }) => {
    const caught: Electron.Notification[] = []
    Reflect.set(globalThis, 'caught', caught)
    Notification.isSupported = () => true
    Notification.prototype.show = function show(this: Electron.Notification) {
      caught.push(this)
    }
  })
}

/** Records the folders that the app opens in the file manager instead of opening them. */
async function recordOpenedPaths(app: App): Promise<() => Promise<string[]>> {
  await app.electron.evaluate(({ shell }) => {
    const paths: string[] = []
    Reflect.set(globalThis, 'openedPaths', paths)
    shell.openPath = async (path) => {
      paths.push(path)
      return ''
    }
  })
  return () => app.electron.evaluate(() => Reflect.get(globalThis, 'openedPaths'))
}

const caught = (app: App): Promise<{ title: string; body: string }[]> =>
  app.electron.evaluate(() =>
    Reflect.get(globalThis, 'caught').map(({ title, body }: Electron.Notification) => ({ title, body })),
  )

test('the menu navigates to the views without reloading the window', async () => {
  const { app } = shared
  await app.window.evaluate(() => Reflect.set(window, 'stillThere', true))
  for (const view of ['Keys', 'Requests', 'Settings']) {
    await choose(app, 'Go', view)
    await expect(heading(app, view)).toBeVisible()
  }
  await choose(app, 'Go', 'Keys')
  await choose(app, 'Tollgate', 'Settings…')
  await expect(heading(app, 'Settings')).toBeVisible()
  expect(new URL(app.window.url()).pathname).toBe('/settings')
  expect(await app.window.evaluate(() => Reflect.get(window, 'stillThere'))).toBe(true)
})

test('pausing everything from the menu refuses requests, and resuming from it serves them', async () => {
  const { app } = shared
  const { secret } = await app.send('POST', '/v1/keys', { name: 'Agent', scope: 'full' }, KeyCreated)
  const ask = () => callModel(app, secret)
  await choose(app, 'Tollgate', 'Pause Everything…')
  await app.window.getByRole('dialog').getByRole('button', { name: 'Pause everything' }).click()
  await expect(app.window.getByText('Everything is paused.')).toBeVisible()
  const refused = await ask()
  expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'paused' } }])
  await choose(app, 'Tollgate', 'Resume Everything')
  await expect(app.window.getByText('Everything is paused.')).toBeHidden()
  expect((await ask()).status).toBe(200)
})

test('the Help menu opens the documentation, which needs no network, and the shortcuts', async () => {
  const { app } = shared
  await choose(app, 'Help', 'Documentation')
  await expect(app.window.getByRole('heading', { name: 'Get started' })).toBeVisible()
  await app.window.getByRole('main').getByRole('link', { name: 'How costs are computed' }).first().click()
  expect(new URL(app.window.url()).pathname).toBe('/help/money')
  await choose(app, 'Help', 'Keyboard Shortcuts')
  await expect(app.window.getByRole('main')).toContainText('Search or run a command')
  await choose(app, 'Help', 'Report a Problem')
  await expect(app.window.getByRole('button', { name: 'Copy diagnostics' })).toBeVisible()
})

test('a key that reaches its cap causes a notification that opens the cap', async () => {
  const { app } = shared
  const secret = await createKey(app.window, 'Editor', { capUsd: '0.000001' })
  await choose(app, 'Go', 'Models')
  await catchNotifications(app)
  const answer = await callModel(app, secret)
  expect(answer.status).toBe(200)
  await expect.poll(() => caught(app)).toHaveLength(1)
  const [notification] = await caught(app)
  expect(notification?.title).toContain('Editor has reached its lifetime cap of ')
  expect(notification?.body).toContain('Requests are rejected until the limit is raised.')
  await app.electron.evaluate(() => Reflect.get(globalThis, 'caught')[0].emit('click'))
  const dialog = app.window.getByRole('dialog', { name: 'Cap of “Editor”' })
  await dialog.getByRole('button', { name: 'Raise by $5' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const keys = await app.get('/v1/keys', KeyList)
  expect(keys.data.find(({ name }) => name === 'Editor')?.spendLimitUsd).toBe(5)
})

test('the menu reopens a closed window at the view', async ({ launcher }) => {
  const app = await launcher.launch()
  await app.electron.evaluate(({ app: electronApp, BrowserWindow }) => {
    // Without a tray the app quits with its last window; here it must keep running.
    electronApp.removeAllListeners('window-all-closed')
    electronApp.on('window-all-closed', () => {})
    for (const window of BrowserWindow.getAllWindows()) window.close()
  })
  const windows = () => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  await expect.poll(windows).toBe(0)
  const opened = app.electron.waitForEvent('window')
  await choose(app, 'Go', 'Keys')
  app.window = await opened
  await expect(heading(app, 'Keys')).toBeVisible()
})

test('the settings reveal the log, which is in the data folder', async () => {
  const { app } = shared
  const opened = await recordOpenedPaths(app)
  await choose(app, 'Tollgate', 'Settings…')
  await app.window.getByRole('button', { name: 'Reveal log' }).click()
  await expect.poll(opened).toEqual([join(app.dataDir, 'logs')])
  await app.electron.evaluate(({ Menu }) => {
    Menu.getApplicationMenu()
      ?.items.flatMap(({ submenu }) => submenu?.items ?? [])
      .find(({ label }) => label === 'Reveal Log')
      ?.click()
  })
  await expect.poll(opened).toHaveLength(2)
  const path = join(app.dataDir, LOG_FILE)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { baseUrl } = await app.state()
  expect(readFileSync(path, 'utf8')).toContain(`Listening on ${baseUrl}`)
})

test('the taximeter stays on top until it is closed', async () => {
  const { electron, window } = shared.app
  const meter = await openMeter(window, electron)
  await expect(meter.getByText('Nothing is running.')).toBeVisible()
  const isOnTop = () =>
    electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some((each) => each.isAlwaysOnTop()),
    )
  expect(await isOnTop()).toBe(true)
  await meter.getByRole('button', { name: 'Close' }).click()
  await expect.poll(isOnTop).toBe(false)
})

test('an uncaught error is reported and shuts the app down in order', async ({ launcher }) => {
  const app = await launcher.launch()
  await createKey(app.window, 'Editor')
  const ended = once(app.electron.process(), 'exit')
  await app.electron.evaluate(({ dialog }) => {
    // The box would block the process until a user closes it.
    dialog.showErrorBox = () => {}
    setImmediate(() => {
      throw new Error('boom')
    })
  })
  expect((await ended)[0]).toBe(1)
  // The write-ahead log was checkpointed and the data dir unlocked.
  const left = readdirSync(app.dataDir)
  expect(left).toContain('tollgate.db')
  expect(left.filter((name) => name === 'tollgate.db-wal' || name === 'lock.json')).toEqual([])
  expect(readFileSync(join(app.dataDir, LOG_FILE), 'utf8')).toContain('"message":"boom"')
  const again = await launcher.launch({ dataDir: app.dataDir })
  const { data } = await again.get('/v1/keys', KeyList)
  expect(data.map(({ name }) => name)).toContain('Editor')
})
