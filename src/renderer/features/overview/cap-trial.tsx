// What a daily limit would have stopped that is tried in the chart, and a button that sets it.

import { useQuery } from '@tanstack/react-query'
import { GripHorizontal } from 'lucide-react'
import type { KeyboardEvent, PointerEvent } from 'react'
import { Link } from 'wouter'
import { describeRehearsal, useRehearsal } from '../../../features/rehearsal/view/use-rehearsal.ts'
import type { RehearsedStop } from '../../../shared/api/rehearsal.ts'
import { saveWithUndo } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { requestsHref } from '../../data/request-link.ts'
import { Button } from '../../kit/button.tsx'
import { CHART_LEFT, CHART_RIGHT, findValue, toBottom } from '../../kit/chart-frame.tsx'
import { cn } from '../../kit/cn.ts'
import { formatDay, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { describeListed } from '../../parts/limits/limit-form.tsx'
import { type CapLine, DAILY } from './overview-range.ts'

export interface CapTrialProps {
  usd: number
  onEnd: () => void
}

/** More days than these are counted, not named. */
const MAX_DAYS = 5

export function CapTrial({ usd, onEnd }: CapTrialProps) {
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  const { pending, error, submit } = useSubmit()
  const [result] = useRehearsal(null, [{ ...DAILY, usd }]) ?? []
  if (!account) return null
  const edited = describeListed(undefined, account, DAILY, now)
  const set = () =>
    submit(async () => {
      await saveWithUndo({
        message: `All keys together may spend ${formatUsd(usd)} per day.`,
        save: async () => void (await edited.save(usd)),
        undo: async () => void (await edited.save(edited.limitUsd)),
      })
      onEnd()
    })
  return (
    <section
      aria-label="Trial of a daily limit"
      className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-line border-t px-4 py-2 text-sm"
    >
      <div className="min-w-48 flex-1">
        <p aria-live="polite">
          <span className="font-medium">{`${formatUsd(usd)} per day for all keys.`}</span>{' '}
          {result ? describeRehearsal(result, { ...DAILY, who: 'your keys' }) : '…'}
        </p>
        {result && result.stops.length > 0 ? (
          <StoppedDays stops={result.stops} timeZone={account.timeZone} now={now} />
        ) : null}
        {error ? <InlineError error={error} /> : null}
      </div>
      <Button small onClick={onEnd}>
        Cancel
      </Button>
      <Button small variant="primary" pending={pending} needsGateway onClick={() => void set()}>
        Set limit
      </Button>
    </section>
  )
}

interface StoppedDaysProps {
  stops: readonly RehearsedStop[]
  timeZone: string
  now: number
}

/** Links to the requests that a limit would have stopped, by day; the most expensive days where there are many. */
function StoppedDays({ stops, timeZone, now }: StoppedDaysProps) {
  const shown = stops
    .toSorted((a, b) => b.preventedUsd - a.preventedUsd)
    .slice(0, MAX_DAYS)
    .toSorted((a, b) => a.from.localeCompare(b.from))
  return (
    <ul className="flex flex-wrap gap-x-3 text-ink-3">
      {shown.map(({ from, to, stoppedAt, preventedUsd }) => {
        const href = requestsHref({}, { startMs: Date.parse(stoppedAt), endMs: Date.parse(to) })
        const text = `${formatDay(from, now, timeZone)}, ${formatUsd(preventedUsd)} less`
        return (
          <li key={from}>
            {href === null ? (
              text
            ) : (
              <Link
                href={href}
                title="Show the requests that would have been stopped"
                className="text-accent-ink"
              >
                {text}
              </Link>
            )}
          </li>
        )
      })}
      {stops.length > shown.length ? <li>{`${stops.length - shown.length} more days`}</li> : null}
    </ul>
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
