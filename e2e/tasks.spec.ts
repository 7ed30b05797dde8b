// The main tasks of every view, with the keyboard alone and with the mouse alone. The tests of one driver share an app and
// run in the order of the sidebar, so that Overview sees a fresh install.
import { expect } from '@playwright/test'
import { type App, createLauncherSession, type LauncherSession, test } from './app.ts'
import { keyboardDriver } from './input-drivers/keyboard.ts'
import { mouseDriver } from './input-drivers/mouse.ts'
import { connect } from './tasks/connect.ts'
import { estimator } from './tasks/estimator.ts'
import { keys } from './tasks/keys.ts'
import { models } from './tasks/models.ts'
import { overview } from './tasks/overview.ts'
import { playground } from './tasks/playground.ts'
import { providers } from './tasks/providers.ts'
import { requests } from './tasks/requests.ts'
import { settings } from './tasks/settings.ts'
import type { Task } from './tasks/task.ts'
import { usage } from './tasks/usage.ts'
import { type View, views } from './views.ts'

const tasks: Record<View, Task> = {
  Overview: overview,
  Requests: requests,
  Usage: usage,
  Keys: keys,
  Providers: providers,
  Models: models,
  Playground: playground,
  Connect: connect,
  Estimator: estimator,
  Settings: settings,
}

for (const [name, createDriver] of [
  ['keyboard', keyboardDriver],
  ['mouse', mouseDriver],
] as const) {
  test.describe(`with the ${name}`, () => {
    let session: LauncherSession
    let app: App
    test.beforeAll(async () => {
      session = createLauncherSession()
      app = await session.launcher.launch()
    })
    test.afterEach(async ({ browserName: _ }, testInfo) => {
      if (testInfo.status !== testInfo.expectedStatus) await session.attachEvidence(testInfo)
    })
    test.afterAll(() => session.close())

    for (const view of views) {
      test(view, () => tasks[view](createDriver(app.window), app))
    }
    test('the palette', async () => {
      const driver = createDriver(app.window)
      await driver.runCommand('Use the dark theme')
      await expect(app.window.locator('html')).toHaveAttribute('data-theme', 'dark')
      await driver.runCommand('Create key')
      await expect(app.window.getByRole('dialog', { name: 'Create key' })).toBeVisible()
      await driver.close(app.window.getByRole('dialog'))
    })
  })
}
