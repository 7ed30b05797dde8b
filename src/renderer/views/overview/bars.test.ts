import { expect, test } from 'vitest'
import { CHART_LEFT, CHART_RIGHT } from '../../components/chart-frame.tsx'
import { slotAt } from './bars.tsx'

test('a place on the chart belongs to the column there, and beside the plot to none', () => {
  const width = CHART_LEFT + 300 + CHART_RIGHT
  const at = (x: number) => slotAt(CHART_LEFT + x, width, 30)
  expect([at(-1), at(0), at(9.9), at(10), at(299), at(300)]).toEqual([null, 0, 0, 1, 29, null])
})
