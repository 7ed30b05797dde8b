import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { DataTable } from './data-table.tsx'
import type { Column, Sort } from './table-order.ts'

interface City {
  name: string
  people?: number
}

const cities: City[] = [{ name: 'Bern', people: 130 }, { name: 'Oslo' }, { name: 'aarau', people: 21 }]

const columns: readonly Column<City, 'name' | 'people'>[] = [
  { id: 'name', head: 'City', isHeader: true, sortBy: ({ name }) => name, cell: ({ name }) => name },
  {
    id: 'people',
    head: 'People',
    right: true,
    descendingFirst: true,
    sortBy: ({ people }) => people,
    cell: ({ people }) => people ?? <button type="button">Count</button>,
  },
]

const getName = ({ name }: City) => name
const names = () => screen.getAllByRole('row').flatMap((row) => row.getAttribute('aria-label') ?? [])

interface CitiesProps {
  onOpen?: (city: City) => void
  onVisit?: (city: City) => void
}

function Cities({ onOpen = () => {}, onVisit = () => {} }: CitiesProps) {
  const [sort, setSort] = useState<Sort<'name' | 'people'>>({ column: 'name', descending: false })
  const table = { columns, rows: cities, getId: getName, getName, sorting: [sort, setSort] as const }
  const getItems = (city: City) => [{ label: 'Visit', onSelect: () => onVisit(city) }]
  return <DataTable look="page" {...table} menu={{ label: 'City', getItems }} onOpen={onOpen} />
}

test('rows are sorted by a column, in the other order after a second press, and rows without a value are last', async () => {
  const user = userEvent.setup()
  render(<Cities />)
  expect(names()).toEqual(['aarau', 'Bern', 'Oslo'])
  await user.click(screen.getByRole('button', { name: 'People' }))
  expect(names()).toEqual(['Bern', 'aarau', 'Oslo'])
  expect(screen.getByRole('columnheader', { name: 'People' }).getAttribute('aria-sort')).toBe('descending')
  await user.click(screen.getByRole('button', { name: 'People' }))
  expect(names()).toEqual(['aarau', 'Bern', 'Oslo'])
})

test('one row is in the tab order, arrow keys move it, and Enter or a click opens a row, but not its buttons', async () => {
  const user = userEvent.setup()
  const opened: string[] = []
  render(<Cities onOpen={({ name }) => opened.push(name)} />)
  const stops = () => screen.getAllByRole('row').filter((row) => row.tabIndex === 0)
  expect(stops().map((row) => row.ariaLabel ?? row.getAttribute('aria-label'))).toEqual(['aarau'])
  stops()[0]?.focus()
  await user.keyboard('{ArrowDown}{Enter}{End}{Enter}{Home} ')
  expect(opened).toEqual(['Bern', 'Oslo', 'aarau'])
  await user.click(screen.getByRole('button', { name: 'Count' }))
  expect(opened).toHaveLength(3)
  await user.click(screen.getByRole('rowheader', { name: 'Bern' }))
  expect(opened.at(-1)).toBe('Bern')
})

test('the secondary button opens the menu of the row that it is on, and none on the head', async () => {
  const user = userEvent.setup()
  const visited: string[] = []
  render(<Cities onVisit={({ name }) => visited.push(name)} />)
  await user.pointer({ keys: '[MouseRight]', target: screen.getByRole('columnheader', { name: 'City' }) })
  expect(screen.queryByRole('menu')).toBeNull()
  // Not prevented: the window shows its own.
  expect(fireEvent.contextMenu(screen.getByRole('columnheader', { name: 'City' }))).toBe(true)
  await user.pointer({ keys: '[MouseRight]', target: screen.getByRole('row', { name: 'Oslo' }) })
  await user.click(screen.getByRole('menuitem', { name: 'Visit' }))
  expect(visited).toEqual(['Oslo'])
})

test('a button inside a row keeps its own keys', async () => {
  const user = userEvent.setup()
  const opened: string[] = []
  render(<Cities onOpen={({ name }) => opened.push(name)} />)
  screen.getByRole('button', { name: 'Count' }).focus()
  await user.keyboard('{Enter}')
  expect(opened).toEqual([])
})

test('all rows are selected with one box, which is mixed while some are', async () => {
  const user = userEvent.setup()
  function Selectable() {
    const [selected, onSelect] = useState<ReadonlySet<string>>(new Set(['Bern']))
    return (
      <DataTable
        columns={columns}
        rows={cities}
        getId={getName}
        selection={{ selected, onSelect, label: 'Select all' }}
        renderRow={({ name }) => (
          <tr>
            <td>{selected.has(name) ? `${name} selected` : name}</td>
          </tr>
        )}
      />
    )
  }
  render(<Selectable />)
  const box = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all' })
  expect(box.indeterminate).toBe(true)
  await user.click(box)
  expect(screen.getAllByText(/selected$/)).toHaveLength(3)
  expect(box.indeterminate).toBe(false)
})

test('the first rows are shown until all are requested', async () => {
  const user = userEvent.setup()
  render(
    <DataTable
      columns={columns}
      rows={cities}
      getId={getName}
      getName={getName}
      firstShown={2}
      noun="cities"
    />,
  )
  expect(names()).toEqual(['Bern', 'Oslo'])
  await user.click(screen.getByRole('button', { name: 'Show all 3 cities' }))
  expect(names()).toEqual(['Bern', 'Oslo', 'aarau'])
  expect(screen.queryByRole('button', { name: /Show all/ })).toBeNull()
})
