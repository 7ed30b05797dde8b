import { expect, test } from 'vitest'
import { createLogScale } from './workload-card.tsx'

const scale = createLogScale(1_000, 1e11)

test('the scale goes from zero through the least value to the most', () => {
  expect([0, 1, scale.max].map(scale.toValue)).toEqual([0, 1_000, 1e11])
})

test('every position is computed from its value', () => {
  for (const each of [scale, createLogScale(10, 1e7)]) {
    for (let position = 0; position <= each.max; position += 1)
      expect(each.toPosition(each.toValue(position))).toBe(position)
  }
})

test('values beyond the scale are at its ends', () => {
  expect(scale.toPosition(3)).toBe(1)
  expect(scale.toPosition(1e15)).toBe(scale.max)
})
