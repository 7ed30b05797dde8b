import { expect, it } from 'vitest'
import { COLUMN_IDS, fitColumns } from './log-columns.tsx'

it('shows all columns where there is room, of which the model gets most', () => {
  const { shown, grid } = fitColumns(1600, false)
  expect(shown).toEqual(COLUMN_IDS.filter((id) => id !== 'held'))
  expect(grid.gridTemplateColumns).toContain('minmax(96px, 400fr)')
})

it('leaves out the least important columns first, and never time, model and cost', () => {
  expect(fitColumns(691, false).shown).toEqual(
    COLUMN_IDS.filter((id) => !['held', 'project', 'client', 'provider'].includes(id)),
  )
  for (const widthPx of [400, 337, 10])
    expect(fitColumns(widthPx, false).shown).toEqual(['time', 'model', 'cost'])
})

it('shows held amounts next to the costs where they are listed', () => {
  expect(fitColumns(650, true).shown).toEqual(['time', 'key', 'model', 'status', 'cost', 'held'])
})
