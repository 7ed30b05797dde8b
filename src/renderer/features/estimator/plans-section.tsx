import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import type { PlanId } from '../../../shared/api/account.ts'
import type { ModelRecord } from '../../../shared/api/models.ts'
import type { Estimate } from '../../../shared/api/pricing.ts'
import { api } from '../../data/api.ts'
import { usePlanName } from '../../data/hooks.ts'
import { volatileQuery } from '../../data/query-client.ts'
import { AxisLabel, type ChartArea, ChartFrame, roundTicks } from '../../kit/chart-frame.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { chooseUsdDecimals, createUsdTickFormat, formatCount, formatUsd } from '../../kit/format.ts'
import { ModelPicker } from '../../kit/model-picker.tsx'
import { InlineError, Skeleton } from '../../kit/notice.tsx'
import { Card } from '../../kit/page.tsx'
import type { MonthlyTokens } from './workload.ts'

interface PlansSectionProps {
  models: readonly ModelRecord[]
  /** The model that is chosen at first. */
  standard: string
  tokens: MonthlyTokens
}

/** The effect of a fixed fee with a discount. Folded until it is opened: few users have such an agreement. */
export function PlansSection(props: PlansSectionProps) {
  const [open, setOpen] = useState(false)
  return (
    <Card>
      <details className="group" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-4 font-semibold [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} aria-hidden className="text-ink-3 group-open:rotate-90" />
          Plans and break-even
          <span className="truncate font-normal text-ink-3 text-sm">
            A fixed monthly fee with a discount, compared with paying by use
          </span>
        </summary>
        {open ? <Plans {...props} /> : null}
      </details>
    </Card>
  )
}

function Plans({ models, standard, tokens }: PlansSectionProps) {
  const [chosen, setChosen] = useState(standard)
  const planName = usePlanName()
  const model = models.some(({ id }) => id === chosen) ? chosen : standard
  const input = tokens.input + tokens.cacheRead + tokens.cacheWrite
  const body = {
    model,
    monthlyInputTokens: Math.round(input),
    monthlyOutputTokens: Math.round(tokens.output),
    cachedInputShare: input === 0 ? 0 : tokens.cacheRead / input,
  }
  const { data: estimate, error } = useQuery({
    ...volatileQuery(['estimate', body], () => api('estimateCost', { body })),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const decimals = chooseUsdDecimals(estimate?.plans.map(({ monthlyCostUsd }) => monthlyCostUsd) ?? [])
  return (
    <div className="flex flex-col gap-4 px-4 pb-4">
      <ModelPicker label="Model" models={models} value={model} onChange={setChosen} className="w-72" />
      {error ? <InlineError error={error} /> : null}
      {estimate ? (
        <>
          <DataTable
            look="part"
            columns={[
              { id: 'plan', head: 'Plan', isHeader: true, cell: ({ plan }) => planName(plan) },
              { id: 'fee', head: 'Fee', right: true, cell: (row) => formatUsd(row.planFeeUsd, decimals) },
              {
                id: 'tokens',
                head: 'Tokens',
                right: true,
                cell: (row) => formatUsd(row.monthlyCostUsd - row.planFeeUsd, decimals),
              },
              {
                id: 'cost',
                head: 'Estimated per month',
                right: true,
                cellClass: 'font-medium',
                cell: (row) => formatUsd(row.monthlyCostUsd, decimals),
              },
            ]}
            rows={estimate.plans}
            getId={({ plan }) => plan}
            classes={{ table: 'max-w-xl text-sm' }}
          />
          <BreakEvenChart estimate={estimate} input={input} output={tokens.output} />
        </>
      ) : error ? null : (
        <Skeleton className="h-72" />
      )}
    </div>
  )
}

interface BreakEvenChartProps {
  estimate: Estimate
  input: number
  output: number
}

const colors = ['var(--chart-1)', 'var(--chart-3)']

function BreakEvenChart({ estimate, input, output }: BreakEvenChartProps) {
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
          stroke={colors[index] ?? 'var(--color-ink-3)'}
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
        stroke={dashed ? 'var(--color-ink-3)' : 'var(--color-ink-2)'}
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

interface BreakEvenLines {
  plans: PlanId[]
  /** Total tokens a month for the labels of the axis. */
  ticks: number[]
  /** The two ends of each straight line: total tokens a month, and USD for each plan in the order of `plans`. */
  points: { tokens: number; usd: number[] }[]
}

/** The cost of each plan as the workload grows with its mix unchanged. Reaches past both the workload and the break-even. */
export function breakEvenLines(estimate: Estimate, input: number, output: number): BreakEvenLines {
  const total = input + output
  const reach = Math.max(1_000_000, total * 1.25, (estimate.breakEvenTokens ?? 0) * 1.6)
  const ticks = roundTicks(reach)
  // The gateway computes the break-even of an empty workload for an even mix.
  const share = total === 0 ? 0.5 : input / total
  return {
    plans: estimate.plans.map(({ plan }) => plan),
    ticks,
    points: [0, ticks.at(-1) ?? reach].map((tokens) => ({
      tokens,
      usd: estimate.plans.map(
        ({ planFeeUsd, perMillionIn, perMillionOut }) =>
          planFeeUsd + (tokens * (share * perMillionIn + (1 - share) * perMillionOut)) / 1e6,
      ),
    })),
  }
}
