import { expect, test } from 'vitest'
import { PLACES, placeOf, tokensAt } from './log-scale.ts'

test('the scale goes from none over a thousand to a hundred billion', () => {
  expect([0, 1, PLACES].map(tokensAt)).toEqual([0, 1_000, 1e11])
})

test('every place is found again from its tokens', () => {
  for (let place = 0; place <= PLACES; place += 1) expect(placeOf(tokensAt(place))).toBe(place)
})

test('what is off the scale stands at its ends', () => {
  expect(placeOf(3)).toBe(1)
  expect(placeOf(1e15)).toBe(PLACES)
})
