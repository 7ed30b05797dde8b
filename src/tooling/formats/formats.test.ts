import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../commands.ts'
import { formatsPage } from './page.ts'

test('docs/formats.md shows how the codecs behave', () => {
  const page = readFileSync(join(root, 'docs/formats.md'), 'utf8')
  expect(page, 'run `npm run generate:formats`').toBe(formatsPage())
})
