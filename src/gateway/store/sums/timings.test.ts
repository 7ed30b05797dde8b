import { expect, test } from 'vitest'
import { addEncodedTimings, encodeDurations, percentile, sumCounts, sumTimings } from './timings.ts'

test('a percentile is within 5 % of the exact one', () => {
  // Multiples of the golden ratio are spread evenly.
  const spread = (i: number) => (i * 0.618033988749895) % 1
  for (const scale of [0.2, 30, 2_000, 400_000]) {
    const durations = Array.from({ length: 4_000 }, (_, i) => scale * (0.5 + spread(i) ** 4 * 20))
    const { total } = sumTimings(durations.map((ms) => encodeDurations(ms, null)))
    durations.sort((a, b) => a - b)
    for (const share of [0.01, 0.5, 0.95, 1]) {
      const exact = durations[Math.ceil(durations.length * share) - 1] ?? 0
      expect(Math.abs((percentile(total, share) ?? 0) / exact - 1)).toBeLessThan(0.05)
    }
  }
})

test('histograms add up in any order, also as they are stored', () => {
  const parts = Array.from({ length: 50 }, (_, i) => {
    const requests = Array.from({ length: i * 7 + 1 }, (_, n) =>
      encodeDurations(1 + ((n * i) % 300), n === 0 && i % 2 === 0 ? i : null),
    )
    return requests.reduce<Uint8Array | null>(addEncodedTimings, null)
  })
  const sum = sumTimings(parts)
  expect(sum).toEqual(sumTimings(parts.toReversed()))
  expect(sumCounts(sum.total)).toBe(50 + (7 * 49 * 50) / 2)
  expect(sumCounts(sum.firstByte)).toBe(25)
  const stored = parts.reduce<Uint8Array | null>(addEncodedTimings, null)
  expect(sumTimings([stored])).toEqual(sum)
  expect(addEncodedTimings(stored, null)).toEqual(stored)
})

test('one request takes a few bytes, and none takes none', () => {
  expect(encodeDurations(null, null)).toBeNull()
  expect(percentile([], 0.5)).toBeNull()
  const encoded = encodeDurations(1234, 0)
  expect(encoded?.length).toBeLessThanOrEqual(6)
  expect(percentile(sumTimings([encoded]).firstByte, 0.5)).toBeCloseTo(0.105)
})
