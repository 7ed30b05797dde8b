import { afterEach, expect, test, vi } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { RecentSecrets } from './api-keys.ts'

afterEach(() => void vi.useRealTimers())

test('secrets are forgotten after a minute', () => {
  vi.useFakeTimers()
  const recent = new RecentSecrets<number>(systemClock)
  recent.add('a', 1)
  vi.advanceTimersByTime(59_999)
  recent.add('b', 2)
  expect([recent.get('a'), recent.get('b')]).toEqual([1, 2])
  vi.advanceTimersByTime(1)
  expect([recent.get('a'), recent.get('b')]).toEqual([undefined, undefined])
  recent.add('a', 3)
  expect(recent.get('a')).toBe(3)
})

test('at most 1,000 secrets are remembered', () => {
  const recent = new RecentSecrets<number>(systemClock)
  for (let i = 0; i <= 1_000; i++) recent.add(`s${i}`, i)
  const remembered = Array.from({ length: 1_001 }, (_, i) => recent.get(`s${i}`))
  expect(remembered.filter((key) => key !== undefined)).toEqual([1_000])
  recent.clear()
})
