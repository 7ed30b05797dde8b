import { expect, test } from 'vitest'
import {
  addDuration,
  addEncodedTimings,
  encodeTimings,
  noTimings,
  percentile,
  sumTimings,
} from './rollup-columns.ts'

test('a percentile is within 5 % of the exact one', () => {
  // Multiples of the golden ratio are spread evenly.
  const spread = (i: number) => (i * 0.618033988749895) % 1
  for (const scale of [0.2, 30, 2_000, 400_000]) {
    const durations = Array.from({ length: 4_000 }, (_, i) => scale * (0.5 + spread(i) ** 4 * 20))
    const { total } = noTimings()
    for (const ms of durations) addDuration(total, ms)
    durations.sort((a, b) => a - b)
    for (const share of [0.01, 0.5, 0.95, 1]) {
      const exact = durations[Math.ceil(durations.length * share) - 1] ?? 0
      expect(Math.abs((percentile(total, share) ?? 0) / exact - 1)).toBeLessThan(0.05)
    }
  }
})

test('histograms add up in any order, also as they are stored', () => {
  const parts = Array.from({ length: 50 }, (_, i) => {
    const timings = noTimings()
    for (let n = 0; n <= i * 7; n++) addDuration(timings.total, 1 + ((n * i) % 300))
    if (i % 2 === 0) addDuration(timings.firstByte, i)
    return encodeTimings(timings)
  })
  const sum = sumTimings(parts)
  expect(sum).toEqual(sumTimings(parts.toReversed()))
  expect([...sum.total.values()].reduce((a, b) => a + b)).toBe(50 + (7 * 49 * 50) / 2)
  expect([...sum.firstByte.values()].reduce((a, b) => a + b)).toBe(25)
  expect(sumTimings([encodeTimings(sum)])).toEqual(sum)
  const oneByOne = parts.reduce<Uint8Array | null>((all, part) => addEncodedTimings(all, part), null)
  expect(oneByOne).toEqual(encodeTimings(sum))
  expect(addEncodedTimings(oneByOne, null)).toEqual(oneByOne)
})

test('one request takes a few bytes, and none takes none', () => {
  const timings = noTimings()
  expect(encodeTimings(timings)).toBeNull()
  expect(percentile(timings.total, 0.5)).toBeNull()
  addDuration(timings.total, 1234)
  addDuration(timings.firstByte, 0)
  addDuration(timings.firstByte, null)
  expect(encodeTimings(timings)?.length).toBeLessThanOrEqual(6)
  expect(percentile(timings.firstByte, 0.5)).toBeCloseTo(0.105)
})
