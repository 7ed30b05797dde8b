import { expect, it } from 'vitest'
import { COLUMN_IDS, type ColumnLayout, fitColumns } from './log-columns.tsx'

const chosen = ['time', 'key', 'model', 'provider', 'status', 'tokens', 'cost', 'latency'] as const

it('shows all columns where there is room, and the model takes what the others leave', () => {
  const { shown, grid } = fitColumns(chosen, 1200)
  const template = grid.gridTemplateColumns
  expect(shown).toEqual(chosen)
  expect(template).toContain('minmax(176px, 1fr)')
  expect(template.match(/1fr/g)).toHaveLength(1)
})

it('leaves out the least important columns first, and never time, model and cost', () => {
  expect(fitColumns(chosen, 691).shown).toEqual(chosen.filter((id) => id !== 'provider'))
  expect(fitColumns(chosen, 400).shown).toEqual(['time', 'model', 'cost'])
  expect(fitColumns(chosen, 337).shown).toEqual(['time', 'model', 'cost'])
  expect(fitColumns(COLUMN_IDS, 10).shown).toEqual(['time', 'model', 'cost'])
})

it('makes all columns wider where the window is wide, so that a row can be followed by eye', () => {
  const widths = (widthPx: number) =>
    [...fitColumns(chosen, widthPx).grid.gridTemplateColumns.matchAll(/(\d+)px(?:, \w+)?\)?/g)].map(
      ([, px]) => Number(px),
    )
  const [time, key, model, , status] = widths(2_350)
  expect(time).toBeGreaterThan(200)
  expect(key).toBeGreaterThan(230)
  expect(status).toBeGreaterThan(200)
  expect(model).toBeLessThan(400)
})

it('makes room for large costs, for which latency is left out first', () => {
  const computeWidth = ({ shown, grid }: ColumnLayout) =>
    Number(
      /\((\d+)px/.exec(
        grid.gridTemplateColumns.split(/ (?=minmax|\d+px(?! ?,|\)))/)[shown.indexOf('cost')] ?? '',
      )?.[1],
    )
  const small = fitColumns(chosen, 691, 9)
  const large = fitColumns(chosen, 691, 12_346)
  expect(computeWidth(large)).toBeGreaterThanOrEqual(computeWidth(small) + 33)
  expect(large.shown).toEqual(small.shown.filter((id) => id !== 'latency'))
})

it('keeps the order of the columns', () => {
  const { shown } = fitColumns(COLUMN_IDS, 4000)
  expect(shown).toEqual(COLUMN_IDS)
})
