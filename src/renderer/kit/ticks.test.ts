import { expect, it } from 'vitest'
import { roundTicks } from './chart-frame.tsx'

it.each([
  [2.5, [0, 1, 2, 3]],
  [0.00248, [0, 0.001, 0.002, 0.003]],
  [100, [0, 25, 50, 75, 100]],
  [0, [0, 1]],
])('covers %d in round steps', (most, ticks) => expect(roundTicks(most)).toEqual(ticks))

it.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [10, [0, 5, 10]],
  [90, [0, 25, 50, 75, 100]],
])('covers a count of %d in whole steps', (most, ticks) => expect(roundTicks(most, true)).toEqual(ticks))
