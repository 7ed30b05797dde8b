import { expect, it } from 'vitest'
import { roundTicks } from './ticks.ts'

it.each([
  [2.5, [0, 1, 2, 3]],
  [0.00248, [0, 0.001, 0.002, 0.003]],
  [100, [0, 25, 50, 75, 100]],
  [0, [0, 1]],
])('covers %d in round steps', (most, ticks) => expect(roundTicks(most)).toEqual(ticks))
