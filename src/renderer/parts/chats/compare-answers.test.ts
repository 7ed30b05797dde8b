import { expect, test } from 'vitest'
import { newAnswer } from './chat-storage.ts'
import { compareAnswers } from './compare-answers.ts'

const answer = (model: string, costUsd: number | null, ms: number, tokensOut: number, column = 0) => ({
  ...newAnswer(column, model),
  state: 'done' as const,
  costUsd,
  ms,
  tokensOut,
})

test.each([
  [answer('a', 1, 1000, 100), answer('b', 9.8, 2100, 110), 'a: 9.8× cheaper, 2.1× faster, similar length'],
  [answer('a', 30, 1000, 100), answer('b', 1, 500, 200), 'b: 30× cheaper, 2.0× faster, 2.0× longer'],
  [answer('a', 1, 3000, 50), answer('b', 2, 1000, 100), 'a: 2.0× cheaper, 3.0× slower, 2.0× shorter'],
  [answer('a', 0, 1000, 100), answer('b', 1, 1000, 100), 'a: free, similar time, similar length'],
  [answer('a', 1, 1000, 100), answer('b', 1, 500, 100), 'b: same cost, 2.0× faster, similar length'],
  [
    answer('a', 1, 1000, 100),
    answer('a', 2, 1000, 100, 1),
    'Model 1: 2.0× cheaper, similar time, similar length',
  ],
])('two answers are compared from the better one: case %#', (first, second, text) => {
  expect(compareAnswers([first, second])).toBe(text)
})

test('of three answers, the cheapest and the fastest are named', () => {
  const answers = [answer('a', 1, 1000, 100), answer('b', 3, 500, 100), answer('c', 2, 2000, 100)]
  expect(compareAnswers(answers)).toBe('Cheapest: a (3.0× cheaper than b). Fastest: b (4.0× faster than c)')
})

test('nothing is compared until all answers have their numbers', () => {
  expect(compareAnswers([answer('a', 1, 1000, 100)])).toBeNull()
  expect(compareAnswers([answer('a', 1, 1000, 100), answer('b', null, 500, 100)])).toBeNull()
  expect(
    compareAnswers([answer('a', 1, 1000, 100), { ...answer('b', 1, 1, 1), state: 'streaming' }]),
  ).toBeNull()
})
