import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { codeCacheDir, isPrivate } from './code-cache.ts'

test.each([
  ['darwin', {}, '/home/ann/Library/Caches/Tollgate/code'],
  ['linux', {}, '/home/ann/.cache/tollgate/code'],
  ['linux', { XDG_CACHE_HOME: '/caches' }, '/caches/tollgate/code'],
  ['linux', { XDG_CACHE_HOME: 'relative' }, '/home/ann/.cache/tollgate/code'],
] as const)('compiled code is stored in the cache folder of the user (%s, %j)', (platform, env, expected) => {
  expect(codeCacheDir(platform, env, '/home/ann')).toBe(expected)
})

test.skipIf(process.platform === 'win32')(
  'a folder that other users can read or write is not used for compiled code',
  () => {
    const parent = mkdtempSync(join(tmpdir(), 'code-cache-'))
    const dir = join(parent, 'code')
    onTestFinished(() => rmSync(parent, { recursive: true }))
    mkdirSync(dir, { mode: 0o700 })
    expect(isPrivate(dir)).toBe(true)
    chmodSync(dir, 0o770)
    expect(isPrivate(dir)).toBe(false)
  },
)
