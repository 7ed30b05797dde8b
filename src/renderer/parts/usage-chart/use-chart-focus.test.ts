import { expect, test } from 'vitest'
import { CHART_LEFT, CHART_RIGHT } from '../../kit/chart-frame.tsx'
import { columnAt } from './use-chart-focus.ts'

test('a position on the chart belongs to one column, and outside the plot area to none', () => {
  const width = CHART_LEFT + 300 + CHART_RIGHT
  const at = (x: number) => columnAt(CHART_LEFT + x, width, 30)
  expect([at(-1), at(0), at(9.9), at(10), at(299), at(300)]).toEqual([null, 0, 0, 1, 29, null])
})
