// V8 may crash where several threads strip types; every Node that runs sources with threads must be told not to.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { root } from './commands.ts'

const src = join(root, 'src')
const OPENS_STORES = ['tooling/soak/model.ts', 'tooling/fuzz/fuzz.ts']

const read = (path: string) => readFileSync(join(src, path), 'utf8')
const isOfTests = (path: string) => /\.test\.ts$|[\\/]testing[\\/].*\.ts$/.test(path)

test('the process that runs a test file has the flags of the sources', () => {
  expect(process.execArgv).toEqual(expect.arrayContaining([...SOURCE_FLAGS]))
})

test('every test that starts a Node gives it the flags of the sources', () => {
  const starts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(isOfTests)
    .filter((path) => /\bspawn\(process\.execPath|\[process\.execPath,/.test(read(path)))
  expect(starts.length).toBeGreaterThan(4)
  expect(starts.filter((path) => !read(path).includes('...SOURCE_FLAGS'))).toEqual([])
})

test.each(OPENS_STORES)('%s, which has threads of its own, applies the flags of the sources', (path) => {
  expect(read(path)).toContain('applySourceFlags()')
})
