// Owns the chart of what the plans cost as a workload grows, with where they break even and where the user is.
import type { ReactNode } from 'react'
import { CartesianGrid, Line, LineChart, ReferenceLine, ResponsiveContainer, XAxis, YAxis } from 'recharts'
import type { Estimate } from '../../../shared/pricing.ts'
import { Card, CardHead } from '../../components/page.tsx'
import { formatCount, formatUsd, formatUsdTick } from '../../format.ts'
import { roundTicks } from '../overview/ticks.ts'
import { breakEvenLines } from './break-even.ts'
import { usePlanName } from './plan-name.ts'

interface BreakEvenChartProps {
  /** Which model is charted, or the choice of it. */
  head: ReactNode
  estimate: Estimate
  input: number
  output: number
}

const tick = { fill: 'var(--ink-3)', fontSize: 11 }
const colours = ['var(--chart-1)', 'var(--chart-3)']
const label = (value: string) =>
  ({ value, position: 'insideTopLeft', fill: 'var(--ink-2)', fontSize: 11, offset: 6 }) as const

export function BreakEvenChart({ head, estimate, input, output }: BreakEvenChartProps) {
  const planName = usePlanName()
  const { plans, points } = breakEvenLines(estimate, input, output)
  const { breakEvenTokens } = estimate
  const ticks = roundTicks(Math.max(...points.flatMap(({ usd }) => usd)))
  return (
    <Card>
      <CardHead title="Break-even">{head}</CardHead>
      <p className="px-4 text-ink-2">{words(estimate, planName)}</p>
      <figure className="h-60 px-2 pt-3" aria-label="Monthly cost by plan">
        <div aria-hidden className="h-full">
          <ResponsiveContainer width="100%" height="100%" initialDimension={{ width: 640, height: 220 }}>
            <LineChart
              accessibilityLayer={false}
              data={points}
              margin={{ top: 8, right: 20, bottom: 4, left: 0 }}
            >
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis
                dataKey="tokens"
                type="number"
                domain={[0, points.at(-1)?.tokens ?? 1]}
                tickFormatter={(tokens: number) => formatCount(Math.round(tokens), true)}
                tickLine={false}
                axisLine={false}
                minTickGap={40}
                tick={tick}
              />
              <YAxis
                width={64}
                ticks={ticks}
                domain={[0, ticks.at(-1) ?? 1]}
                tickFormatter={formatUsdTick}
                tickLine={false}
                axisLine={false}
                tick={tick}
              />
              {breakEvenTokens === null ? null : (
                <ReferenceLine
                  x={breakEvenTokens}
                  stroke="var(--ink-3)"
                  strokeDasharray="3 3"
                  label={label('Break-even')}
                />
              )}
              <ReferenceLine x={input + output} stroke="var(--ink-2)" label={label('You')} />
              {plans.map((plan, index) => (
                <Line
                  key={plan}
                  dataKey={({ usd }: { usd: number[] }) => usd[index] ?? 0}
                  stroke={colours[index] ?? 'var(--ink-3)'}
                  strokeWidth={2}
                  dot={false}
                  isAnimationActive={false}
                />
              ))}
            </LineChart>
          </ResponsiveContainer>
        </div>
      </figure>
      <ul className="flex flex-wrap gap-x-4 px-4 pt-1 pb-4 text-ink-2 text-sm">
        {plans.map((plan, index) => (
          <li key={plan} className="flex items-center gap-1.5">
            <span aria-hidden className="h-0.5 w-3 rounded" style={{ background: colours[index] }} />
            {planName(plan)}
          </li>
        ))}
        <li className="ml-auto text-ink-3">tokens a month, in this mix of input and output</li>
      </ul>
    </Card>
  )
}

function words(estimate: Estimate, planName: ReturnType<typeof usePlanName>): string {
  const { breakEvenTokens, breakEvenPlan, breakEvenSavingsUsd, plan } = estimate
  if (breakEvenTokens === null) return 'This model is free, so no plan can make it cheaper.'
  const from = `${planName(breakEvenPlan)} pays from ${formatCount(Math.round(breakEvenTokens), true)} tokens a month.`
  return plan === breakEvenPlan
    ? `${from} You are past that: it saves ${formatUsd(breakEvenSavingsUsd)} a month.`
    : `${from} Below that, ${planName(plan)} costs less.`
}
