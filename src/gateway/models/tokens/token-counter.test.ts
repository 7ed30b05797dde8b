import { afterEach, beforeEach, expect, test } from 'vitest'
import { TokenCounter } from './token-counter.ts'

let counter: TokenCounter
beforeEach(() => {
  counter = new TokenCounter()
})
afterEach(() => counter.close())

test('counts by the vocabulary, with control tokens as text', async () => {
  expect(await counter.count('Hello world')).toBe(2)
  expect(await counter.count('a <|endoftext|> b')).toBeGreaterThan(3)
  expect(await Promise.all(['one', 'one two', ''].map((text) => counter.count(text)))).toEqual([1, 2, 0])
})

test('does not block the calling thread', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 5)
  await counter.count('the quick brown fox '.repeat(5_000))
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(2)
})

test('a long text, and one that takes too long, are estimated from their bytes; later texts are counted', async () => {
  expect(await counter.count('word '.repeat(50_000))).toBe(62_500)
  expect(await counter.count('a'.repeat(150_000))).toBe(37_500)
  expect(await counter.count('Hello world')).toBe(2)
})

test('closing it estimates pending texts from their bytes', async () => {
  const asked = counter.count('Hello world')
  await counter.close()
  expect(await asked).toBe(3)
})
