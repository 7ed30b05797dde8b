import { expect, test } from 'vitest'
import { otherShares, readShares, withOthers, withShare } from './alert-thresholds.ts'

test('a usual share is ticked and unticked, the others stay', () => {
  expect(withShare([50, 90], 80, true)).toEqual([50, 80, 90])
  expect(withShare([50, 80, 90], 80, false)).toEqual([50, 90])
  expect(withShare([50], 50, true)).toEqual([50])
})

test('other shares are typed, and replace other shares only', () => {
  expect(otherShares([100, 95, 50, 60])).toEqual([60, 95])
  expect(withOthers([50, 60, 95], [90])).toEqual([50, 90])
  expect(withOthers([50, 60], [])).toEqual([50])
})

test('what is typed is one share, two, or none', () => {
  expect(readShares('90')).toEqual({ value: [90] })
  expect(readShares('65 %, 90 %')).toEqual({ value: [65, 90] })
  expect(readShares('')).toEqual({ value: [] })
  expect(readShares('80, 90')).toEqual({ value: [80, 90] })
})

test.each(['0', '101', '1.5', 'half', '60, 70, 90'])('%s is refused with a reason', (text) =>
  expect(readShares(text)).toEqual(expect.any(String)),
)
