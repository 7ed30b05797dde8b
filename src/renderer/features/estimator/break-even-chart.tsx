import type { Estimate } from '../../../shared/api/pricing.ts'
import { usePlanName } from '../../data/hooks.ts'
import { AxisLabel, type ChartArea, ChartFrame } from '../../kit/chart-frame.tsx'
import { createUsdTickFormat, formatCount, formatUsd } from '../../kit/format.ts'
import { roundTicks } from '../../kit/ticks.ts'
import { type BreakEvenLines, breakEvenLines } from './break-even.ts'

interface BreakEvenChartProps {
  estimate: Estimate
  input: number
  output: number
}

const colors = ['var(--chart-1)', 'var(--chart-3)']

export function BreakEvenChart({ estimate, input, output }: BreakEvenChartProps) {
  const planName = usePlanName()
  const lines = breakEvenLines(estimate, input, output)
  const ticks = roundTicks(Math.max(...lines.points.flatMap(({ usd }) => usd)))
  return (
    <div>
      <p className="text-ink-2">{describeBreakEven(estimate, planName)}</p>
      <figure className="pt-3" aria-label="Monthly cost by plan">
        <div className="relative h-56">
          <ChartFrame ticks={ticks} tickLabel={createUsdTickFormat(ticks)}>
            {(area) => (
              <Lines area={area} lines={lines} you={input + output} even={estimate.breakEvenTokens} />
            )}
          </ChartFrame>
        </div>
      </figure>
      <ul className="flex flex-wrap gap-x-4 pt-1 text-ink-2 text-sm">
        {lines.plans.map((plan, index) => (
          <li key={plan} className="flex items-center gap-1.5">
            <span aria-hidden className="h-0.5 w-3 rounded" style={{ background: colors[index] }} />
            {planName(plan)}
          </li>
        ))}
        <li className="ml-auto text-ink-3">tokens per month, in this mix of input and output</li>
      </ul>
    </div>
  )
}

interface LinesProps {
  area: ChartArea
  lines: BreakEvenLines
  /** Monthly tokens of the workload, and at which the plans cost the same; null for none. */
  you: number
  even: number | null
}

function Lines({ area, lines: { ticks, points, plans }, you, even }: LinesProps) {
  const most = ticks.at(-1) ?? 1
  const x = (tokens: number) => area.left + (tokens / most) * area.width
  return (
    <>
      {ticks.map((tokens) => (
        <AxisLabel key={tokens} area={area} x={Math.min(x(tokens), area.left + area.width - 10)}>
          {formatCount(tokens, true)}
        </AxisLabel>
      ))}
      {even === null ? null : <Mark area={area} x={x(even)} name="Break-even" dashed />}
      <Mark area={area} x={x(you)} name="You" />
      {plans.map((plan, index) => (
        <polyline
          key={plan}
          points={points.map(({ tokens, usd }) => `${x(tokens)},${area.y(usd[index] ?? 0)}`).join(' ')}
          fill="none"
          stroke={colors[index] ?? 'var(--ink-3)'}
          strokeWidth={2}
        />
      ))}
    </>
  )
}

/** A vertical line with its label, which is on the left where there is no space on the right. */
function Mark({
  area,
  x,
  name,
  dashed = false,
}: {
  area: ChartArea
  x: number
  name: string
  dashed?: boolean
}) {
  const right = x > area.left + area.width - 80
  return (
    <>
      <line
        x1={x}
        x2={x}
        y1={area.top}
        y2={area.top + area.height}
        stroke={dashed ? 'var(--ink-3)' : 'var(--ink-2)'}
        strokeDasharray={dashed ? '3 3' : undefined}
      />
      <text
        x={right ? x - 6 : x + 6}
        y={area.top + 12}
        textAnchor={right ? 'end' : 'start'}
        className="fill-ink-2"
      >
        {name}
      </text>
    </>
  )
}

function describeBreakEven(estimate: Estimate, planName: ReturnType<typeof usePlanName>): string {
  const { breakEvenTokens, breakEvenPlan, breakEvenSavingsUsd, plan } = estimate
  if (breakEvenTokens === null) return 'This model is free, so no plan can make it cheaper.'
  const from = `${planName(breakEvenPlan)} pays off from ${formatCount(Math.round(breakEvenTokens), true)} tokens per month.`
  return plan === breakEvenPlan
    ? `${from} Your workload is above that: it saves ${formatUsd(breakEvenSavingsUsd)} per month.`
    : `${from} Below that, ${planName(plan)} costs less.`
}
