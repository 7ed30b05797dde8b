import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect } from '@playwright/test'
import { test } from './app.ts'

const root = resolve(import.meta.dirname, '..')

test('the licenses of everything that is shipped are one file, which Help shows', async ({ launcher }) => {
  const file = readFileSync(resolve(root, 'out/renderer/licenses.txt'), 'utf8')
  const { dependencies } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))
  // Native packages, a package of the gateway, two of the window, its font, its styles and what runs it.
  const others = ['zod', 'react-dom', 'katex', '@fontsource-variable/inter', 'tailwindcss', 'electron']
  for (const name of [...Object.keys(dependencies), ...others]) expect(file).toContain(`\n${name} `)

  const { window } = await launcher.launch()
  await window.getByRole('link', { name: 'Settings' }).click()
  await window.getByRole('link', { name: 'Show all' }).click()
  await window.getByRole('searchbox', { name: 'Search packages and licenses' }).fill('inter ofl')
  await window.getByText('@fontsource-variable/inter').click()
  await expect(window.getByText('SIL OPEN FONT LICENSE Version 1.1')).toBeVisible()
})
