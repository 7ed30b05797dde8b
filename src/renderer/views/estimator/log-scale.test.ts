import { expect, test } from 'vitest'
import { MAX_POSITION, positionToTokens, tokensToPosition } from './log-scale.ts'

test('the scale goes from zero through a thousand to a hundred billion', () => {
  expect([0, 1, MAX_POSITION].map(positionToTokens)).toEqual([0, 1_000, 1e11])
})

test('every position is computed from its tokens', () => {
  for (let position = 0; position <= MAX_POSITION; position += 1)
    expect(tokensToPosition(positionToTokens(position))).toBe(position)
})

test('tokens beyond the scale are at its ends', () => {
  expect(tokensToPosition(3)).toBe(1)
  expect(tokensToPosition(1e15)).toBe(MAX_POSITION)
})
