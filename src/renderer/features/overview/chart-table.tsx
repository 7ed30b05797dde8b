import { memo } from 'react'
import type { Unit } from '../../data/periods.ts'
import { formatPeriod } from './period-name.ts'
import { computeHeight, type Plot } from './plot.ts'

interface ChartTableProps {
  plot: Plot
  caption: string
  unit: Unit
  zone: string
  format: (value: number) => string
}

/** The numbers of a chart for screen readers. */
export const ChartTable = memo(function ChartTable({ plot, caption, unit, zone, format }: ChartTableProps) {
  const { kind, series, columns } = plot
  return (
    // A table is as large as its content whatever its size says, and would make the page scroll.
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Period</th>
            {kind === 'bars' ? <th scope="col">Total</th> : null}
            {series.map(({ id, label }) => (
              <th key={id ?? ''} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.map((column) => (
            <tr key={column.period.group}>
              <th scope="row">{formatPeriod(column.period, unit, zone)}</th>
              {kind === 'bars' ? <td>{format(computeHeight(column, kind))}</td> : null}
              {series.map(({ id }, index) => (
                <td key={id ?? ''}>{formatOrNone(column.values[index], format)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
})

function formatOrNone(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}
