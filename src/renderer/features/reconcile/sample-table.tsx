import type { ExportMapping } from '../../../shared/api/reconciliations.ts'
import { cn } from '../../kit/cn.ts'
import { DataTable } from '../../kit/data-table.tsx'

interface SampleTableProps {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  mapping: ExportMapping | null
}

interface SampleRow {
  id: string
  cells: readonly string[]
}

/** The first rows of the file. Columns that are used come first. */
export function SampleTable({ columns, rows, mapping }: SampleTableProps) {
  const used = mapping
    ? [mapping.time, mapping.model, mapping.requests, ...mapping.input, ...mapping.output, mapping.cost]
    : []
  const numbers = new Set(mapping ? used.slice(2) : [])
  const order = columns
    .map((name, index) => ({ name, index, at: used.indexOf(name), isNumber: numbers.has(name) }))
    .sort((a, b) => rank(a.at) - rank(b.at) || a.index - b.index)
  return (
    <section
      aria-label="First rows of the file"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
      tabIndex={0}
      className="overflow-x-auto rounded-md border border-line"
    >
      <DataTable<SampleRow, string>
        look="sample"
        columns={order.map(({ name, index, at, isNumber }) => ({
          id: String(index),
          head: name,
          right: isNumber,
          headClass: cn('whitespace-nowrap', at < 0 ? 'text-ink-3' : 'text-ink'),
          cellClass: cn('max-w-60 truncate', at < 0 && 'text-ink-3'),
          title: ({ cells }) => cells[index],
          cell: ({ cells }) => (isNumber ? groupDigits(cells[index] ?? '') : cells[index]),
        }))}
        // Rows have no identity other than their position.
        rows={rows.map((cells, index) => ({ id: String(index), cells }))}
        getId={({ id }) => id}
      />
    </section>
  )
}

/** "50,000" for "50000", with all the decimals of the file. What is not a number stays as it is. */
function groupDigits(text: string): string {
  const [, whole, rest] = /^(-?\d+)(\.\d+)?$/.exec(text) ?? []
  return whole === undefined ? text : `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest ?? ''}`
}

function rank(at: number): number {
  return at < 0 ? Number.MAX_SAFE_INTEGER : at
}
