import { expect, it } from 'vitest'
import { ROW_PX, rowsInSight } from './use-visible-rows.ts'

it('covers the view with some rows to spare, wherever it stands', () => {
  for (const top of [0, 1, 35, 36, 5000, 123_456, 35_999_000]) {
    const { first, end } = rowsInSight(top, 700)
    expect(first).toBeLessThanOrEqual(Math.max(0, Math.floor(top / ROW_PX) - 8))
    expect(end).toBeGreaterThanOrEqual(Math.ceil((top + 700) / ROW_PX) + 8)
    expect(end - first).toBeLessThan(60)
  }
})

it('begins at the first row when the list is pulled beyond its top', () => {
  expect(rowsInSight(-80, 700).first).toBe(0)
})
