// Every view's main acts, with the keyboard alone and with the mouse alone. The tests of a hand share one app, in the order
// of the sidebar, so that the first of them finds a fresh install.
import { expect } from '@playwright/test'
import { type App, type Starter, starter, test } from './app.ts'
import { byKeyboard } from './input-drivers/keyboard.ts'
import { byMouse } from './input-drivers/mouse.ts'
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
import { type View, views } from './views.ts'

const tasks: Record<View, Task> = {
  Overview: overview,
  Requests: requests,
  Keys: keys,
  Providers: providers,
  Models: models,
  Playground: playground,
  Connect: connect,
  Estimator: estimator,
  Settings: settings,
}

for (const [name, handIn] of [
  ['keyboard', byKeyboard],
  ['mouse', byMouse],
] as const) {
  test.describe(`by ${name}`, () => {
    let house: Starter
    let app: App
    test.beforeAll(async () => {
      house = starter()
      app = await house.started.launch()
    })
    test.afterEach(async ({ browserName: _ }, testInfo) => {
      if (testInfo.status !== testInfo.expectedStatus) await house.keepEvidence(testInfo)
    })
    test.afterAll(() => house.end())

    for (const view of views) {
      test(view, () => tasks[view](handIn(app.window), app))
    }
    test('the palette', async () => {
      const hand = handIn(app.window)
      await hand.command('Use the dark theme')
      await expect(app.window.locator('html')).toHaveAttribute('data-theme', 'dark')
      await hand.command('Create key')
      await expect(app.window.getByRole('dialog', { name: 'Create key' })).toBeVisible()
      await hand.leave(app.window.getByRole('dialog'))
    })
  })
}
