import { expect, it } from 'vitest'
import { ROW_PX, visibleRows } from './use-visible-rows.ts'

it('covers the viewport and some rows around it at every scroll position', () => {
  for (const top of [0, 1, 35, 36, 5000, 123_456, 35_999_000]) {
    const { first, end } = visibleRows(top, 700)
    expect(first).toBeLessThanOrEqual(Math.max(0, Math.floor(top / ROW_PX) - 8))
    expect(end).toBeGreaterThanOrEqual(Math.ceil((top + 700) / ROW_PX) + 8)
    expect(end - first).toBeLessThan(60)
  }
})

it('starts at the first row when the list is scrolled beyond its top', () => {
  expect(visibleRows(-80, 700).first).toBe(0)
})
