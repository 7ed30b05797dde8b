// What a daily limit would have stopped that is tried in the chart, and a button that sets it.

import { GripHorizontal } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { Rehearsed } from '../../../features/rules/view/rehearsal.tsx'
import { enableTrial } from '../../../features/rules/view/trials.ts'
import { Button } from '../../kit/button.tsx'
import { CHART_LEFT, CHART_RIGHT, findValue, toBottom } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { formatUsd } from '../../kit/format.ts'
import { ErrorText } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { type CapLine, DAILY } from './overview-range.ts'

export interface CapTrialProps {
  usd: number
  onEnd: () => void
}

export function CapTrial({ usd, onEnd }: CapTrialProps) {
  const { pending, error, submit } = useSubmit()
  const trial = { limit: { ...DAILY, usd }, keyId: null }
  return (
    <section
      aria-label="Trial of a daily limit"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-t px-4 py-2 text-sm"
    >
      <div className="min-w-48 flex-1">
        <p className="font-medium">{`${formatUsd(usd)} per day for all keys.`}</p>
        {/* The chart has a limit only where it shows no imported calls. */}
        <Rehearsed trial={trial} history={false} onDone={onEnd} className="text-ink-2" />
        <ErrorText error={error} />
      </div>
      <Button small onClick={onEnd}>
        Cancel
      </Button>
      <Button
        small
        variant="primary"
        pending={pending}
        needsGateway
        onClick={() => void submit(() => enableTrial(trial), onEnd)}
      >
        Set limit
      </Button>
    </section>
  )
}

/** The amounts that a line can be dragged to differ by about a hundredth of the chart's height. */
function findStep(max: number): number {
  return 10 ** Math.floor(Math.log10(max / 50))
}

export interface CapHandleProps extends CapLine {
  /** The amount at the top of the chart. */
  max: number
}

/** Without a limit, a line that can be dragged down is at the top of the chart as long as that is used. */
const UNSET =
  'opacity-0 group-focus-within/chart:opacity-100 group-hover/chart:opacity-100 [@media(hover:none)]:opacity-100'

/** The end of the line of the daily limit in the chart of spend. Dragging it tries another one. */
export function CapHandle({ max, limitUsd, triedUsd, tryUsd }: CapHandleProps) {
  const usd = Math.min(triedUsd ?? limitUsd ?? max, max)
  const step = findStep(max)
  const move = (to: number) =>
    tryUsd(Number((Math.round(Math.min(max, Math.max(step, to)) / step) * step).toPrecision(12)))
  const drag = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const chart = event.currentTarget.parentElement?.getBoundingClientRect()
    if (chart) move(findValue(event.clientY - chart.top, chart.height, max))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key]
    if (by !== undefined) move(usd + by * step)
    else if (event.key === 'Home') move(step)
    else if (event.key === 'End') move(max)
    else if (event.key === 'Escape' && triedUsd !== null) tryUsd(null)
    else return
    event.preventDefault()
  }
  const amount = formatUsd(usd)
  const isSet = triedUsd !== null || limitUsd !== null
  const bottom = toBottom(usd / max)
  return (
    <>
      {isSet ? null : (
        <div
          aria-hidden
          style={{ bottom, left: CHART_LEFT, right: CHART_RIGHT }}
          className={cn('absolute border-line-strong border-t border-dashed', UNSET)}
        />
      )}
      <div
        role="slider"
        tabIndex={0}
        aria-label="Daily limit"
        aria-orientation="vertical"
        aria-valuemin={step}
        aria-valuemax={max}
        aria-valuenow={usd}
        aria-valuetext={isSet ? `${amount} per day` : 'No limit'}
        title="Drag to try a daily limit"
        style={{ bottom }}
        className={cn(
          'group absolute right-0 flex translate-y-1/2 cursor-ns-resize touch-none items-center gap-1 rounded-full border bg-raised px-1.5 text-xs shadow-card',
          triedUsd === null ? 'border-line-strong text-ink-3 hover:text-ink' : 'border-bad text-bad',
          !isSet && UNSET,
        )}
        onPointerDown={(event) => {
          if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId)
        }}
        onPointerMove={drag}
        onKeyDown={onKeyDown}
      >
        <GripHorizontal size={12} aria-hidden className="h-5" />
        <span className={isSet ? 'tabular-nums' : 'hidden group-hover:inline group-focus-visible:inline'}>
          {isSet ? amount : 'Daily limit'}
        </span>
      </div>
    </>
  )
}
