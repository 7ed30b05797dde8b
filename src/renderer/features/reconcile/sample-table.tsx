import type { ExportMapping } from '../../../shared/api/reconciliations.ts'
import { cn } from '../../kit/cn.ts'

interface SampleTableProps {
  columns: readonly string[]
  rows: readonly (readonly string[])[]
  mapping: ExportMapping | null
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
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="bg-sunken text-left">
            {order.map(({ name, index, at, isNumber }) => (
              <th
                key={index}
                scope="col"
                className={cn(
                  'whitespace-nowrap px-3 py-1.5 font-medium',
                  at < 0 ? 'text-ink-3' : 'text-ink',
                  isNumber && 'text-right',
                )}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity other than their position
            <tr key={row} className="border-line border-t">
              {order.map(({ index, at, isNumber }) => (
                <td
                  key={index}
                  className={cn(
                    'max-w-60 truncate px-3 py-1.5',
                    at < 0 && 'text-ink-3',
                    isNumber && 'text-right tabular-nums',
                  )}
                  title={cells[index]}
                >
                  {isNumber ? groupDigits(cells[index] ?? '') : cells[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
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
