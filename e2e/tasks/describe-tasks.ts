import { expect, type Page } from '@playwright/test'
import { shareApp, test } from '../app.ts'
import type { InputDriver } from '../input-drivers/input-driver.ts'
import { type View, views } from '../views.ts'
import { activity } from './activity.ts'
import { connect } from './connect.ts'
import { estimator } from './estimator.ts'
import { keys } from './keys.ts'
import { models } from './models.ts'
import { overview } from './overview.ts'
import { playground } from './playground.ts'
import { providers } from './providers.ts'
import { requests } from './requests.ts'
import { sessions } from './sessions.ts'
import { settings } from './settings.ts'
import type { Task } from './task.ts'
import { usage } from './usage.ts'

const tasks: Record<View, Task> = {
  Overview: overview,
  Requests: requests,
  Sessions: sessions,
  Usage: usage,
  Keys: keys,
  Providers: providers,
  Models: models,
  Playground: playground,
  Connect: connect,
  Estimator: estimator,
  Activity: activity,
  Settings: settings,
}

/**
 * Tests of the main tasks of every view with one input device. They share an app and run in the order of the sidebar, so
 * that Overview sees a fresh install.
 */
export function describeTasks(name: string, createDriver: (window: Page) => InputDriver): void {
  test.describe(`with the ${name}`, () => {
    test.describe.configure({ mode: 'default' })
    const shared = shareApp()
    for (const view of views) {
      test(view, () => tasks[view](createDriver(shared.app.window), shared.app))
    }
    test('the palette', async () => {
      const { app } = shared
      const driver = createDriver(app.window)
      await driver.runCommand('Use the dark theme')
      await expect(app.window.locator('html')).toHaveAttribute('data-theme', 'dark')
      await driver.runCommand('Create key')
      await expect(app.window.getByRole('dialog', { name: 'Create key' })).toBeVisible()
      await driver.close(app.window.getByRole('dialog'))
    })
  })
}
