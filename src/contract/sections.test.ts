import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { otherTests } from './other-tests.ts'
import { SECTIONS } from './testing/rule-name.ts'

const root = resolve(import.meta.dirname, '../..')

test('the sections that rules cite are the headings of docs/contract.md', () => {
  const page = readFileSync(join(root, 'docs/contract.md'), 'utf8')
  expect([...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([...SECTIONS])
})

test('the other tests that rules cite exist', () => {
  const paths = otherTests.flatMap(({ testedBy }) => testedBy)
  expect(otherTests.length).toBeGreaterThan(100)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})
