// A dialog that takes the place of another has the focus, and returns it to a button that opened the first.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { test } from './app.ts'
import { open } from './views.ts'

test('the form of a provider has the focus, and returns it', async ({ launcher }) => {
  const { window } = await launcher.launch()
  await open(window, 'Providers')
  const add = window.getByRole('button', { name: 'Add provider', exact: true })
  await add.press('Enter')
  const dialog = window.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Azure OpenAI' }).press('Enter')
  await expect(dialog.getByLabel('Resource name')).toBeFocused()
  await dialog.getByRole('button', { name: 'Back' }).press('Enter')
  await dialog.getByRole('button', { name: 'Custom server' }).press('Enter')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await window.keyboard.press('Escape')
  await expect(add).toBeFocused()
})

test('the outcome of setting up a tool has the focus', async ({ launcher }) => {
  const { window, home } = await launcher.launch()
  mkdirSync(join(home, '.codex'), { recursive: true })
  await open(window, 'Connect')
  await window.getByRole('tab', { name: 'Codex' }).press('Enter')
  await window.getByRole('button', { name: 'Set up for me' }).press('Enter')
  const dialog = window.getByRole('dialog')
  await expect(dialog.getByLabel('Name of the new key')).toBeFocused()
  await dialog.getByRole('button', { name: 'Write 2 files' }).press('Enter')
  await expect(dialog.getByRole('button', { name: 'Done' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Done' }).press('Enter')
  await expect(window.getByRole('button', { name: 'Set up again' })).toBeFocused()
})
