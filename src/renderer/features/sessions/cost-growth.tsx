import { formatOffset } from '../../data/session-name.ts'
import { type ChartArea, ChartFrame, roundTicks } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { createUsdTickFormat, formatUsd } from '../../kit/format.ts'
import type { Step } from './steps.tsx'

/** The place of the label, which is as wide as its text. */
const LABEL = { width: 150, height: 22 }

interface CostGrowthProps {
  steps: readonly Step[]
  /** The steps that did something again, by request id. */
  repeats: ReadonlyMap<string, Step>
  /** The step that is marked. */
  current: number | null
}

/** The cost of a session as it grows from step to step, on the axis of the steps. */
export function CostGrowth({ steps, repeats, current }: CostGrowthProps) {
  const ticks = roundTicks(steps.at(-1)?.totalUsd ?? 0)
  return (
    <figure aria-label="Cost over time" className="relative mt-1 h-36">
      <ChartFrame ticks={ticks} tickLabel={createUsdTickFormat(ticks)}>
        {(area) => <Growth area={area} steps={steps} repeats={repeats} current={current} />}
      </ChartFrame>
    </figure>
  )
}

function Growth({ area, steps, repeats, current }: CostGrowthProps & { area: ChartArea }) {
  const x = (fraction: number) => area.left + fraction * area.width
  const bottom = area.top + area.height
  // Each cost is known when its request ends.
  const ends = steps.toSorted((a, b) => a.to - b.to)
  let sum = 0
  const corners = ends.map(({ to, record }) => {
    const before = sum
    sum += record.costUsd ?? 0
    return `H${x(to).toFixed(1)}${sum === before ? '' : `V${area.y(sum).toFixed(1)}`}`
  })
  const line = `M${area.left},${bottom}${corners.join('')}H${x(1)}`
  const marked = current === null ? undefined : steps[current]
  const last = steps.at(-1)
  return (
    <>
      <path d={`${line}V${bottom}Z`} fill="var(--color-accent-soft)" />
      <path d={line} fill="none" stroke="var(--chart-1)" strokeWidth={2} strokeLinejoin="round" />
      {steps.map(({ record, pauseMs, from }) =>
        pauseMs === 0 ? null : (
          <line
            key={record.id}
            x1={x(from)}
            x2={x(from)}
            y1={area.top}
            y2={bottom}
            stroke="var(--color-line-strong)"
            strokeDasharray="2 3"
          />
        ),
      )}
      {steps.map((step) => {
        const look = findMark(step, repeats)
        return look === null ? null : (
          <circle
            key={step.record.id}
            cx={x(step.to)}
            cy={area.y(step.totalUsd)}
            r={3}
            strokeWidth={1.5}
            className={look}
          />
        )
      })}
      {marked ? <Marker area={area} step={marked} x={x(marked.to)} /> : null}
      <text x={area.left} y={bottom + 17}>
        0:00
      </text>
      <text x={x(1)} y={bottom + 17} textAnchor="end">
        {last ? formatOffset(last.offsetMs + last.durationMs) : ''}
      </text>
    </>
  )
}

/** The look of a step that went wrong, or did something again; null for any other. */
function findMark({ record }: Step, repeats: ReadonlyMap<string, Step>): string | null {
  switch (record.status) {
    case 'failed':
    case 'rejected':
      return 'fill-bad-fill stroke-raised'
    case 'refused':
      return 'fill-warn-fill stroke-raised'
    default:
      return repeats.has(record.id) ? 'fill-raised stroke-warn-fill' : null
  }
}

function Marker({ area, step, x }: { area: ChartArea; step: Step; x: number }) {
  const y = area.y(step.totalUsd)
  const top = Math.max(area.top, y - LABEL.height - 6)
  const isRight = x > area.left + area.width / 2
  return (
    <>
      <line x1={x} x2={x} y1={area.top} y2={area.top + area.height} stroke="var(--color-ink-3)" />
      <circle cx={x} cy={y} r={3.5} fill="var(--chart-1)" stroke="var(--color-raised)" strokeWidth={1.5} />
      <foreignObject x={isRight ? x - 8 - LABEL.width : x + 8} y={top} {...LABEL}>
        <p className={cn('flex h-full items-center', isRight && 'justify-end')}>
          <span className="rounded-sm border border-line bg-surface px-1.5 py-0.5 font-medium text-ink tabular-nums shadow-sm">
            {`${formatUsd(step.totalUsd)} at ${formatOffset(step.offsetMs)}`}
          </span>
        </p>
      </foreignObject>
    </>
  )
}
