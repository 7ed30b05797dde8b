import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from '@playwright/test'

const root = resolve(import.meta.dirname, '..')

test('the licenses of everything that is shipped are one file', () => {
  const file = readFileSync(resolve(root, 'out/renderer/licenses.txt'), 'utf8')
  const { dependencies } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'))
  // Native packages, a package of the gateway, two of the window, its font, its styles and what runs it.
  const others = ['zod', 'react-dom', 'katex', '@fontsource-variable/inter', 'tailwindcss', 'electron']
  for (const name of [...Object.keys(dependencies), ...others]) expect(file).toContain(`\n${name} `)
})
