import { expect, test } from 'vitest'
import {
  listCustomThresholds,
  parseThresholds,
  replaceCustomThresholds,
  toggleThreshold,
} from './limit-rows.tsx'

test('toggling a preset keeps the other thresholds', () => {
  expect(toggleThreshold([50, 90], 80, true)).toEqual([50, 80, 90])
  expect(toggleThreshold([50, 80, 90], 80, false)).toEqual([50, 90])
  expect(toggleThreshold([50], 50, true)).toEqual([50])
})

test('custom thresholds replace only custom thresholds', () => {
  expect(listCustomThresholds([100, 95, 50, 60])).toEqual([60, 95])
  expect(replaceCustomThresholds([50, 60, 95], [90])).toEqual([50, 90])
  expect(replaceCustomThresholds([50, 60], [])).toEqual([50])
})

test('zero, one or two thresholds can be typed', () => {
  expect(parseThresholds('90')).toEqual({ value: [90] })
  expect(parseThresholds('65 %, 90 %')).toEqual({ value: [65, 90] })
  expect(parseThresholds('')).toEqual({ value: [] })
  expect(parseThresholds('80, 90')).toEqual({ value: [80, 90] })
})

test.each(['0', '101', '1.5', 'half', '60, 70, 90'])('%s is rejected with a reason', (text) =>
  expect(parseThresholds(text)).toEqual(expect.any(String)),
)
