import { afterEach, beforeEach, expect, test } from 'vitest'
import { TokenCounter } from './token-counter.ts'

let counter: TokenCounter
beforeEach(() => {
  counter = new TokenCounter()
})
afterEach(() => counter.close())

test('counts as the vocabulary does, and takes control tokens for text', async () => {
  expect(await counter.count('Hello world')).toBe(2)
  expect(await counter.count('a <|endoftext|> b')).toBeGreaterThan(3)
  expect(await Promise.all(['one', 'one two', ''].map((text) => counter.count(text)))).toEqual([1, 2, 0])
})

test('does not hold up the thread that asks', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 5)
  await counter.count('the quick brown fox '.repeat(5_000))
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(2)
})

test('a long text, and one that takes too long, are measured by their bytes; counting goes on afterwards', async () => {
  expect(await counter.count('word '.repeat(50_000))).toBe(62_500)
  expect(await counter.count('a'.repeat(150_000))).toBe(37_500)
  expect(await counter.count('Hello world')).toBe(2)
})

test('when it is closed, what was asked is measured by its bytes', async () => {
  const asked = counter.count('Hello world')
  await counter.close()
  expect(await asked).toBe(3)
})
