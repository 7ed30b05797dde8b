import { styled } from './style.ts'
import { pad, printable, truncate, widthOf } from './text.ts'

export interface Column<Row> {
  title: string
  align?: 'left' | 'right'
  /** Cut when the terminal is too narrow for the table; at most one column. */
  flexible?: true
  cell(row: Row): string
}

const GAP = '  '
const LEAST_FLEXIBLE = 8

/** Aligned columns, with a line of titles. `width` is that of the terminal; a file has none. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY,
): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))))
  const widths = columns.map(({ title }, index) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), widthOf(title)),
  )
  const total = widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length)
  const flexible = columns.findIndex((column) => column.flexible)
  if (total > width && flexible >= 0) {
    widths[flexible] = Math.max(LEAST_FLEXIBLE, (widths[flexible] ?? 0) - (total - width))
  }
  const line = (texts: readonly string[]) =>
    columns
      .map(({ align }, index) =>
        pad(truncate(texts[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, align),
      )
      .join(GAP)
      .trimEnd()
  return [styled(line(columns.map(({ title }) => title)), 'dim'), ...cells.map(line)]
    .map((each) => `${each}\n`)
    .join('')
}
