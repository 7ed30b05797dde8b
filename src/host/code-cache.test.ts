import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
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
    const parent = tempDirForTest()
    const dir = join(parent, 'code')
    mkdirSync(dir, { mode: 0o700 })
    expect(isPrivate(dir)).toBe(true)
    chmodSync(dir, 0o770)
    expect(isPrivate(dir)).toBe(false)
  },
)
