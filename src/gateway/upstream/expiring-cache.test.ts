import { expect, test } from 'vitest'
import { ExpiringCache } from './expiring-cache.ts'

test('one fetch serves all callers until shortly before the value expires', async () => {
  let now = 0
  let fetches = 0
  const cache = new ExpiringCache<string>(() => now)
  const fetch = async () => {
    fetches += 1
    return { value: `token ${fetches}`, expiresAt: now + 3_600_000 }
  }
  const get = () => cache.get('a', fetch)
  expect(await Promise.all([get(), get(), get()])).toEqual(['token 1', 'token 1', 'token 1'])
  now = 3_400_000
  expect(await get()).toBe('token 1')
  now = 3_500_000
  expect(await Promise.all([get(), get()])).toEqual(['token 2', 'token 2'])
  expect(await cache.get('b', fetch)).toBe('token 3')
  expect(await get()).toBe('token 2')
})

test('a failure reaches everyone who waits, and the next call tries again', async () => {
  const cache = new ExpiringCache<string>()
  const fail = async () => {
    throw new Error('rejected')
  }
  const first = cache.get('a', fail)
  await expect(cache.get('a', fail)).rejects.toThrow('rejected')
  await expect(first).rejects.toThrow('rejected')
  expect(await cache.get('a', async () => ({ value: 'token', expiresAt: Number.MAX_VALUE }))).toBe('token')
})
