// Owns the stacked bars of spend over time. A table with the same numbers is there for those who cannot see them.
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount, formatUsd, formatUsdTick } from '../../format.ts'
import type { Span } from '../../stores/periods.ts'
import { type Column, layerColour, type Stack } from './stack.ts'
import { roundTicks } from './ticks.ts'

/** A period by its first day: "21 Nov", "Week of 16 Nov", "Nov 2026". */
function periodName(day: string, span: Span, short = false): string {
  const parts: Intl.DateTimeFormatOptions =
    span === 'month' && !short
      ? { month: 'long', year: 'numeric' }
      : span === 'month'
        ? { month: 'short' }
        : { day: 'numeric', month: 'short' }
  const date = new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(Date.parse(day))
  return span === 'week' && !short ? `Week of ${date}` : date
}

const tick = { fill: 'var(--ink-3)', fontSize: 11 }

export default function SpendChart({ data, span }: { data: Stack; span: Span }) {
  const { layers, columns } = data
  const quiet = layers.length === 0
  const ticks = roundTicks(Math.max(...columns.map(({ totalUsd }) => totalUsd)))
  return (
    <figure className="relative h-full" aria-label="Spend over time">
      <div aria-hidden className="h-full">
        <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 640, height: 200 }}>
          <BarChart
            accessibilityLayer={false}
            data={columns}
            margin={{ top: 8, right: 8, bottom: 0, left: 0 }}
            barCategoryGap="24%"
          >
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="day"
              tickFormatter={(day: string) => periodName(day, span, true)}
              tickLine={false}
              axisLine={false}
              minTickGap={28}
              tick={tick}
            />
            <YAxis
              width={60}
              ticks={ticks}
              domain={[0, ticks.at(-1) ?? 1]}
              tickFormatter={(usd: number) => (quiet ? '' : formatUsdTick(usd))}
              tickLine={false}
              axisLine={false}
              tick={tick}
            />
            <Tooltip
              cursor={{ fill: 'var(--sunken)' }}
              isAnimationActive={false}
              content={({ active, payload }) => {
                const shown: unknown = active ? payload[0]?.payload : undefined
                const column = columns.find((one) => one === shown)
                return column ? <PeriodTip column={column} data={data} span={span} /> : null
              }}
            />
            {layers.map((_, index) => (
              <Bar
                // biome-ignore lint/suspicious/noArrayIndexKey: a bar keeps the place in the stack in which it came
                key={index}
                dataKey={(column: Column) => column.parts[index] ?? 0}
                stackId="spend"
                fill={layerColour(index)}
                isAnimationActive={false}
                maxBarSize={36}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {quiet ? (
        <p className="absolute inset-0 flex items-center justify-center pb-6 pl-16 text-ink-3">
          Nothing was spent in this time.
        </p>
      ) : null}
      <table className="sr-only">
        <caption>Spend over time</caption>
        <tbody>
          {columns.map((column) => (
            <tr key={column.day}>
              <th scope="row">{periodName(column.day, span)}</th>
              <td>{formatUsd(column.totalUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function PeriodTip({ column, data, span }: { column: Column; data: Stack; span: Span }) {
  return (
    <div className="min-w-44 rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-float">
      <p className="flex justify-between gap-4 font-medium">
        <span>{periodName(column.day, span)}</span>
        <span>{formatUsd(column.totalUsd)}</span>
      </p>
      <ul className="mt-1">
        {data.layers.map((layer, index) =>
          (column.parts[index] ?? 0) > 0 ? (
            <li key={layer.id ?? ''} className="flex items-center gap-2">
              <span className="size-2 rounded-[2px]" style={{ background: layerColour(index) }} />
              <span className="max-w-48 flex-1 truncate text-ink-2">{layer.label}</span>
              <span>{formatUsd(column.parts[index] ?? 0)}</span>
            </li>
          ) : null,
        )}
      </ul>
      <p className="mt-1 text-ink-3">
        {formatCount(column.requests)} {column.requests === 1 ? 'request' : 'requests'}
      </p>
    </div>
  )
}
