import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from '@playwright/test'
import { listen } from '../src/gateway/testing/listen.ts'
import { shareApp, spawnApp, test } from './app.ts'
import { open } from './views.ts'

const shared = shareApp()

test('the window has no Node, cannot leave the app and has a strict content security policy', async () => {
  const { app } = shared
  expect(app.window.url()).toBe('app://tollgate/')
  const page = await app.window.evaluate(async () => ({
    process: typeof Reflect.get(globalThis, 'process'),
    require: typeof Reflect.get(globalThis, 'require'),
    opened: window.open('https://example.org/') !== null,
    policy: (await fetch('/')).headers.get('content-security-policy'),
    outside: await fetch('https://example.org/').then(
      () => 'reached',
      () => 'refused',
    ),
    evaluated: (() => {
      try {
        return Reflect.construct(Function, ['return 1'])()
      } catch {
        return 'refused'
      }
    })(),
  }))
  expect(page).toMatchObject({
    process: 'undefined',
    require: 'undefined',
    opened: false,
    outside: 'refused',
    evaluated: 'refused',
  })
  expect(page.policy).toContain("default-src 'none'")
  await app.window.evaluate(() => location.assign('https://example.org/'))
  const where = await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((each) => each.webContents.getURL()),
  )
  expect(where).toEqual(['app://tollgate/'])
})

test('a page cannot navigate the window to an API response, the failure page or about:blank', async () => {
  const { app } = shared
  const where = () =>
    app.electron.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      return contents?.isLoading() === false ? contents.getURL() : null
    })
  for (const address of ['/v1/keys', '/failed?reason=Call%20us', '/openapi.json']) {
    await app.window.evaluate((to) => location.assign(to), address)
    await expect.poll(where).toBe('app://tollgate/')
  }
  await app.window.evaluate(() => location.assign('about:blank'))
  await expect.poll(where).toBe('app://tollgate/')
  await expect(app.window.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
})

test('the listener of the desktop app serves the API but no interface', async () => {
  const { app } = shared
  const { baseUrl } = await app.state()
  expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
  expect((await fetch(`${baseUrl}/`)).status).toBe(404)
})

test('a link opens its view, and a second instance passes its link to the first, focuses its window and exits', async ({
  launcher,
}) => {
  const app = await launcher.launch({ link: 'tollgate://usage' })
  await expect(app.window.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible()
  const noticed = app.electron.evaluate(
    ({ app: electronApp }) =>
      new Promise((done) => electronApp.once('second-instance', () => done('noticed'))),
  )
  const [code] = await once(spawnApp(app.dataDir, 'tollgate://help/cli'), 'exit')
  expect(code).toBe(0)
  expect(await noticed).toBe('noticed')
  await expect(app.window.getByRole('main').getByRole('heading', { name: 'The command line' })).toBeVisible()
  expect(app.electron.windows()).toHaveLength(1)
})

test('a port in use is reported, and one click switches to a free one', async ({ launcher }) => {
  const otherServer = createServer()
  const port = await listen(otherServer)
  try {
    const { window, state } = await launcher.launch({ port })
    const banner = window.getByRole('alert').filter({ hasText: 'not listening' })
    await expect(banner).toContainText(String(port))
    expect(await state()).toMatchObject({ baseUrl: null, port })
    await open(window, 'Keys')

    const { suggestedPort } = await state()
    await banner.getByRole('button', { name: `Use port ${suggestedPort}` }).click()
    await expect(banner).toBeHidden()
    const health = await fetch(`${(await state()).baseUrl}/healthz`)
    expect(await health.json()).toMatchObject({ status: 'ok' })
  } finally {
    otherServer.close()
  }
})

test('a window whose renderer crashed shows an error page and can be reloaded', async ({ launcher }) => {
  const app = await launcher.launch()
  await app.electron.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer()
  })
  // The failure page is loaded by a new renderer process, which Playwright's page object does not follow.
  const where = () =>
    app.electron.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents
      return contents?.isLoading() === false ? contents.getURL() : null
    })
  const run = (script: string) =>
    app.electron.evaluate(
      ({ BrowserWindow }, code) => BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(code),
      script,
    )
  await expect.poll(where).toContain('app://tollgate/failed')
  expect(await run('document.body.innerText')).toContain('The window stopped working')
  await run(`document.querySelector('a').click()`)
  await expect.poll(where).toBe('app://tollgate/')
  await expect.poll(() => run('document.body.innerText')).toContain('Overview')
})
