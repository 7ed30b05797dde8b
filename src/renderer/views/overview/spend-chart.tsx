// Owns the stacked bars of spend over time, and which of them is looked at: by pointer or with the arrow keys. A table
// with the same numbers is there for those who cannot see them.
import { type KeyboardEvent, useState } from 'react'
import { ChartFrame } from '../../components/chart-frame.tsx'
import { formatUsd, formatUsdTick } from '../../format.ts'
import type { Span } from '../../server-state/periods.ts'
import { Bars, slotAt } from './bars.tsx'
import { periodName } from './period-name.ts'
import { PeriodTip } from './period-tip.tsx'
import type { Stack } from './stack.ts'
import { roundTicks } from './ticks.ts'

export function SpendChart({ data, span }: { data: Stack; span: Span }) {
  const { layers, columns } = data
  const [chosen, setChosen] = useState<number | null>(null)
  const quiet = layers.length === 0
  const ticks = roundTicks(Math.max(0, ...columns.map(({ totalUsd }) => totalUsd)))
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
        aria-label="Spend by period; the arrow keys go from one to the next"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what the pointer shows must be in reach of the keyboard
        tabIndex={0}
        className="absolute inset-0 rounded-md -outline-offset-2"
        onKeyDown={onKeyDown}
        onBlur={() => setChosen(null)}
        onPointerLeave={() => setChosen(null)}
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect()
          setChosen(slotAt(clientX - left, width, columns.length))
        }}
      >
        <ChartFrame ticks={ticks} tickLabel={(usd) => (quiet ? '' : formatUsdTick(usd))}>
          {(area) => <Bars area={area} columns={columns} span={span} active={active} />}
        </ChartFrame>
        {column && active !== null ? (
          <PeriodTip column={column} layers={layers} span={span} place={(active + 0.5) / columns.length} />
        ) : null}
      </div>
      {quiet ? (
        <p className="pointer-events-none absolute inset-0 flex items-center justify-center pb-6 pl-16 text-ink-3">
          Nothing was spent in this time.
        </p>
      ) : null}
      <table className="sr-only">
        <caption>Spend over time</caption>
        <tbody>
          {columns.map(({ day, totalUsd }) => (
            <tr key={day}>
              <th scope="row">{periodName(day, span)}</th>
              <td>{formatUsd(totalUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p aria-live="polite" className="sr-only">
        {column ? `${periodName(column.day, span)}: ${formatUsd(column.totalUsd)}` : ''}
      </p>
    </figure>
  )
}
