import { expect, test } from 'vitest'
import { type Limit, nearestLimit } from './limits.ts'

const limit = (spentUsd: number, part: Partial<Limit> = {}): Limit => ({
  ...{ keyId: 'key_1', kind: { per: 'day' }, index: 0, limitUsd: 10, reservedUsd: 0, resetsAt: null },
  ...{ warnsOnly: false, asks: false, spentUsd, ...part },
})

test('the nearest limit is the one of which the largest part is used, and one of zero is used up', () => {
  const [half, most, none] = [limit(5), limit(6, { index: 1 }), limit(0, { limitUsd: 0 })]
  expect(nearestLimit([half, most])).toBe(most)
  expect(nearestLimit([half, most, none])).toBe(none)
  expect(nearestLimit([])).toBeNull()
})

test('a limit that only warns hides none that is about to stop requests', () => {
  const passed = limit(30, { warnsOnly: true })
  const near = limit(8.1)
  expect(nearestLimit([passed, near])).toBe(near)
  expect(nearestLimit([passed, limit(7)])).toBe(passed)
})
