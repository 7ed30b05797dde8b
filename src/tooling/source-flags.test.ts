// V8 can crash when several threads strip types, so every Node that runs the sources with threads needs the flags.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { root } from './commands.ts'

const src = join(root, 'src')
const OPENS_STORES = ['tooling/simulate.ts', 'tooling/fuzz/fuzz.ts']

const read = (path: string) => readFileSync(join(src, path), 'utf8')
const isTestSupport = (path: string) => /\.test\.ts$|[\\/]testing[\\/].*\.ts$/.test(path)

test('the process that runs a test file has the flags', () => {
  expect(process.execArgv).toEqual(expect.arrayContaining([...SOURCE_FLAGS]))
})

test('every test that starts Node passes it the flags', () => {
  const starts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter(isTestSupport)
    .filter((path) => /\bspawn\(process\.execPath|\[process\.execPath,/.test(read(path)))
  expect(starts.length).toBeGreaterThan(4)
  expect(starts.filter((path) => !read(path).includes('...SOURCE_FLAGS'))).toEqual([])
})

test.each(OPENS_STORES)('%s, which starts threads, applies the flags', (path) => {
  expect(read(path)).toContain('applySourceFlags()')
})
