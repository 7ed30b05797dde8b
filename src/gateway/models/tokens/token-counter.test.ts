import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TokenCounter } from './token-counter.ts'

let counter: TokenCounter
beforeEach(() => {
  // The thread may take longer to start than a count may take.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  counter = new TokenCounter()
})
afterEach(async () => {
  await counter.close()
  vi.useRealTimers()
})

test('counts by the vocabulary, with control tokens as text', async () => {
  expect(await counter.count('Hello world')).toBe(2)
  expect(await counter.count('a <|endoftext|> b')).toBeGreaterThan(3)
  expect(await Promise.all(['one', 'one two', ''].map((text) => counter.count(text)))).toEqual([1, 2, 0])
})

test('does not block the calling thread', async () => {
  const counted = vi.fn()
  const counting = counter.count('the quick brown fox '.repeat(5_000)).then(counted)
  // Only the end of this turn could bring the answer of a thread.
  await Promise.resolve()
  expect(counted).not.toHaveBeenCalled()
  await counting
  expect(counted).toHaveBeenCalledOnce()
})

test('a long text, and one that takes too long, are estimated from their bytes; later texts are counted', async () => {
  expect(await counter.count('word '.repeat(50_000))).toBe(62_500)
  const slow = counter.count('a'.repeat(150_000))
  vi.advanceTimersByTime(2_500)
  expect(await slow).toBe(37_500)
  expect(await counter.count('Hello world')).toBe(2)
})

test('closing it estimates pending texts from their bytes', async () => {
  const asked = counter.count('Hello world')
  await counter.close()
  expect(await asked).toBe(3)
})
