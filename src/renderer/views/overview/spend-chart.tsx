import { type KeyboardEvent, useState } from 'react'
import { ChartFrame } from '../../components/chart-frame.tsx'
import { chooseUsdDecimals, createUsdTickFormat, formatUsd } from '../../format.ts'
import type { Span } from '../../server-state/periods.ts'
import { Bars, columnAt } from './bars.tsx'
import { formatPeriod } from './period-name.ts'
import { PeriodTooltip } from './period-tooltip.tsx'
import type { Stack } from './stack.ts'
import { roundTicks } from './ticks.ts'

/** Stacked bars. A table with the same numbers is there for screen readers. */
export function SpendChart({ data, span }: { data: Stack; span: Span }) {
  const { layers, columns } = data
  const [chosen, setChosen] = useState<number | null>(null)
  const isEmpty = layers.length === 0
  const totals = columns.map(({ totalUsd }) => totalUsd)
  const ticks = roundTicks(Math.max(0, ...totals))
  const formatTick = createUsdTickFormat(ticks)
  const decimals = chooseUsdDecimals(totals)
  // Another period may have fewer columns.
  const active = chosen !== null && chosen < columns.length ? chosen : null
  const column = active === null ? undefined : columns[active]

  const onKeyDown = (event: KeyboardEvent) => {
    const last = columns.length - 1
    const steps: Record<string, number | null> = {
      ArrowLeft: Math.max(0, (active ?? columns.length) - 1),
      ArrowRight: Math.min(last, (active ?? last) + 1),
      Home: 0,
      End: last,
      Escape: null,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    setChosen(next)
  }

  return (
    <figure className="relative h-full" aria-label="Spend over time">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls, these are figures */}
      <div
        role="group"
        aria-label="Spend by period. Use the arrow keys to move between periods."
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach what the pointer shows
        tabIndex={0}
        className="absolute inset-0 rounded-md -outline-offset-2"
        onKeyDown={onKeyDown}
        onBlur={() => setChosen(null)}
        onPointerLeave={() => setChosen(null)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setChosen(columnAt(clientX - left, width, columns.length))
        }}
      >
        <ChartFrame ticks={ticks} tickLabel={(usd) => (isEmpty ? '' : formatTick(usd))}>
          {(area) => <Bars area={area} columns={columns} span={span} active={active} />}
        </ChartFrame>
        {column && active !== null ? (
          <PeriodTooltip
            column={column}
            layers={layers}
            span={span}
            position={(active + 0.5) / columns.length}
          />
        ) : null}
      </div>
      {isEmpty ? (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center pb-6 pl-16 text-ink-3">
          No spend in this period.
        </p>
      ) : null}
      <table className="sr-only">
        <caption>Spend over time</caption>
        <tbody>
          {columns.map(({ day, totalUsd }) => (
            <tr key={day}>
              <th scope="row">{formatPeriod(day, span)}</th>
              <td>{formatUsd(totalUsd, decimals)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p aria-live="polite" className="sr-only">
        {column ? `${formatPeriod(column.day, span)}: ${formatUsd(column.totalUsd, decimals)}` : ''}
      </p>
    </figure>
  )
}
