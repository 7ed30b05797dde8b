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
  now = 3_200_000
  expect(await get()).toBe('token 1')
  now = 3_400_000
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

test('a value that lives shorter than the usual notice is used for half its life', async () => {
  let now = 0
  let fetches = 0
  const cache = new ExpiringCache<number>(() => now)
  const get = () => cache.get('a', async () => ({ value: ++fetches, expiresAt: now + 240_000 }))
  expect([await get(), await get()]).toEqual([1, 1])
  now = 119_000
  expect(await get()).toBe(1)
  now = 121_000
  expect(await get()).toBe(2)
})

test('a value that was dropped is fetched again, once, and another stays', async () => {
  let fetches = 0
  const cache = new ExpiringCache<number>()
  const get = (key: string) => cache.get(key, async () => ({ value: ++fetches, expiresAt: Number.MAX_VALUE }))
  expect([await get('a'), await get('b')]).toEqual([1, 2])
  cache.drop(1)
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([3, 3, 2])
})
