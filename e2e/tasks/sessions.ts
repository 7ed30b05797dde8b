// Name a session with a header, find it, read its steps, open one, and cap the sessions of its key.
import { expect } from '@playwright/test'
import { newClient, type Task } from './task.ts'

export const sessions: Task = async (driver, app) => {
  const { window } = app
  const name = `Nightly run of the ${driver.name}`
  const client = await newClient(app, `Sessions, ${driver.name}`)
  for (const content of ['First step', 'Second step']) {
    await client.chat.completions.create(
      { model: 'sandbox-small', messages: [{ role: 'user', content }] },
      { headers: { 'X-Tollgate-Session': name, 'X-Tollgate-Tag': 'website' } },
    )
  }
  await driver.goTo('Sessions')
  await driver.openFirstRow(window.getByRole('table', { name: 'Sessions' }).getByRole('row', { name }))
  const panel = window.getByRole('dialog', { name: 'Session' })
  await expect(panel).toContainText('2 steps')
  await expect(panel).toContainText('the header X-Tollgate-Session')

  await driver.press(panel.getByRole('button', { name: 'Set a cap per session' }))
  const dialog = window.getByRole('dialog', { name: /^Limit of/ })
  await driver.fill(dialog.getByLabel('Limit per session (USD)'), '3')
  await driver.submit(dialog.getByRole('button', { name: 'Save' }))
  await expect(dialog).toBeHidden()

  const steps = panel.getByRole('list', { name: 'Steps' }).getByRole('link')
  await driver.openFirstRow(steps)
  await expect(window.getByRole('dialog', { name: 'Request' })).toContainText('sandbox-small')
  await driver.close(window.getByRole('dialog', { name: 'Request' }))
}
