import { printable } from '../../shared/values/text.ts'
import { styled } from './print.ts'
import { computeWidth, pad, truncate } from './text.ts'

export interface Column<Row> {
  title: string
  align?: 'left' | 'right'
  /** Cut when the terminal is too narrow for the table; at most one column. */
  flexible?: true
  /** Left out when the terminal is still too narrow, the last one first. */
  optional?: true
  cell(row: Row): string
}

const GAP = '  '
const MIN_FLEXIBLE_WIDTH = 8

/** Aligned columns, with a line of titles. `width` is that of the terminal; a file has none. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY,
): string {
  const kept = chooseColumns(columns, rows, width)
  const { cells, widths } = measure(kept, rows)
  const total = computeTotal(widths)
  const flexible = kept.findIndex((column) => column.flexible)
  if (total > width && flexible >= 0) {
    widths[flexible] = Math.max(MIN_FLEXIBLE_WIDTH, (widths[flexible] ?? 0) - (total - width))
  }
  const line = (texts: readonly string[]) =>
    kept
      .map(({ align }, index) =>
        pad(truncate(texts[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, align),
      )
      .join(GAP)
      .trimEnd()
  return [styled(line(kept.map(({ title }) => title)), 'dim'), ...cells.map(line)]
    .map((each) => `${each}\n`)
    .join('')
}

function measure<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))))
  const widths = columns.map(({ title }, index) =>
    cells.reduce((most, row) => Math.max(most, computeWidth(row[index] ?? '')), computeWidth(title)),
  )
  return { cells, widths }
}

function computeTotal(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length)
}

/** The columns that fit, with as little as possible of the flexible one. */
function chooseColumns<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): readonly Column<Row>[] {
  const { widths } = measure(columns, rows)
  let kept = columns.map((column, index) => {
    const all = widths[index] ?? 0
    return { column, least: column.flexible ? Math.min(all, MIN_FLEXIBLE_WIDTH) : all }
  })
  for (const candidate of kept.toReversed()) {
    if (computeTotal(kept.map(({ least }) => least)) <= width) break
    if (candidate.column.optional) kept = kept.filter((each) => each !== candidate)
  }
  return kept.map(({ column }) => column)
}
