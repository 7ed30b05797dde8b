import { expect, test } from 'vitest'
import { BodyMemoryLimit, UNLIMITED } from './read-body.ts'

const busy = expect.objectContaining({ status: 503, body: expect.objectContaining({ code: 'busy' }) })

test('counts all bodies of a key, and accepts more when some are released', () => {
  const limit = new BodyMemoryLimit(100)
  const first = limit.forRequest('a')
  first.reserve(30)
  first.reserve(20)
  const second = limit.forRequest('a')
  expect(() => second.reserve(1)).toThrow(busy)
  first.release()
  second.reserve(50)
})

test('counts received bytes, not announced ones', () => {
  const limit = new BodyMemoryLimit(100)
  for (let i = 0; i < 10; i++) limit.forRequest('a').check(50)
  limit.forRequest('a').reserve(50)
})

test('rejects an announced length that is too large', () => {
  const memory = new BodyMemoryLimit(100).forRequest('a')
  expect(() => memory.check(51)).toThrow(busy)
  memory.check(50)
})

test('a key that uses all it can leaves memory for every other key', () => {
  const limit = new BodyMemoryLimit(1024)
  for (const keyId of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const memory = limit.forRequest(keyId)
    memory.reserve(1)
    for (let bytes = 512; bytes >= 1; bytes /= 2) {
      try {
        for (;;) memory.reserve(bytes)
      } catch (error) {
        expect(error).toEqual(busy)
      }
    }
  }
})

test('releasing twice has no further effect', () => {
  const limit = new BodyMemoryLimit(100)
  const [first, second] = [limit.forRequest('a'), limit.forRequest('a')]
  first.reserve(25)
  second.reserve(25)
  first.release()
  first.release()
  expect(() => limit.forRequest('a').reserve(26)).toThrow(busy)
})

test('unlimited memory is never used up', () => {
  UNLIMITED.reserve(Number.MAX_SAFE_INTEGER)
  UNLIMITED.reserve(Number.MAX_SAFE_INTEGER)
})
