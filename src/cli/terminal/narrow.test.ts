import { expect, test } from 'vitest'
import { type Column, formatTable } from './table.ts'
import { wrap } from './text.ts'

interface Row {
  id: string
  title: string
  cost: string
}
const columns: Column<Row>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'TITLE', flexible: true, cell: ({ title }) => title },
  { title: 'TOKENS', optional: true, cell: () => '1,234,567' },
  { title: 'COST', align: 'right', cell: ({ cost }) => cost },
]
const rows = [{ id: 'ses_1', title: 'Add an endpoint that exports invoices', cost: '$1.00' }]
const linesAt = (width: number) => formatTable(columns, rows, width).trimEnd().split('\n')

test('a table is cut where it may be, and then loses what is optional', () => {
  expect(linesAt(80)[1]).toBe('ses_1  Add an endpoint that exports invoices  1,234,567  $1.00')
  expect(linesAt(40)[1]).toBe('ses_1  Add an endpoin…  1,234,567  $1.00')
  expect(linesAt(30)).toEqual(['ID     TITLE              COST', 'ses_1  Add an endpoint…  $1.00'])
})

test('texts are wrapped by words, and indented lines stay as they are', () => {
  expect(wrap('one two\nthree four\n  kept as it is, however long\nfive', 13)).toBe(
    'one two three\nfour\n  kept as it is, however long\nfive',
  )
  expect(wrap('a\n\nb', 10)).toBe('a\n\nb')
})
