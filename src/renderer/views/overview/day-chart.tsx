// Owns the bars of spend by day. A table with the same numbers is there for those who cannot see them.
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { UsageRow } from '../../../shared/requests.ts'
import { formatCount, formatUsd } from '../../format.ts'
import { roundTicks } from './ticks.ts'

/** 2026-11-21 as "21 Nov". */
function shortDay(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(day),
  )
}

export default function DayChart({ days }: { days: readonly UsageRow[] }) {
  const quiet = days.every(({ costUsd }) => costUsd === 0)
  const ticks = roundTicks(Math.max(...days.map(({ costUsd }) => costUsd)))
  return (
    <figure className="relative h-full" aria-label="Spend by day">
      <div aria-hidden className="h-full">
        <ResponsiveContainer width="100%" height="100%">
          <BarChart data={[...days]} margin={{ top: 8, right: 8, bottom: 0, left: 0 }} barCategoryGap="22%">
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="group"
              tickFormatter={shortDay}
              tickLine={false}
              axisLine={false}
              minTickGap={36}
              tick={{ fill: 'var(--ink-3)', fontSize: 11 }}
            />
            <YAxis
              width={64}
              ticks={ticks}
              domain={[0, ticks.at(-1) ?? 1]}
              tickFormatter={(usd: number) => (quiet ? '' : formatUsd(usd))}
              tickLine={false}
              axisLine={false}
              tick={{ fill: 'var(--ink-3)', fontSize: 11 }}
            />
            <Tooltip
              cursor={{ fill: 'var(--sunken)' }}
              isAnimationActive={false}
              content={({ active, payload }) => {
                const row: unknown = active ? payload[0]?.payload : undefined
                return <DayTip row={days.find((day) => day === row)} />
              }}
            />
            <Bar
              dataKey="costUsd"
              fill="var(--accent)"
              radius={[2, 2, 0, 0]}
              isAnimationActive={false}
              maxBarSize={28}
            />
          </BarChart>
        </ResponsiveContainer>
      </div>
      {quiet ? (
        <p className="absolute inset-0 flex items-center justify-center pb-6 pl-16 text-ink-3">
          Nothing was spent in the last 30 days.
        </p>
      ) : null}
      <table className="sr-only">
        <caption>Spend by day</caption>
        <tbody>
          {days.map((day) => (
            <tr key={day.group}>
              <th scope="row">{day.group}</th>
              <td>{formatUsd(day.costUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

function DayTip({ row }: { row: UsageRow | undefined }) {
  if (!row) return null
  return (
    <div className="rounded-md border border-line bg-raised px-3 py-2 text-sm shadow-float">
      <p className="font-medium">{shortDay(row.group)}</p>
      <p>
        {formatUsd(row.costUsd)} · {formatCount(row.requests)} {row.requests === 1 ? 'request' : 'requests'}
      </p>
      <p className="text-ink-3">
        {formatCount(row.tokensIn)} tokens in, {formatCount(row.tokensOut)} out
      </p>
    </div>
  )
}
