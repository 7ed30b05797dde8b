import { KeyRound, Repeat2 } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import type { RequestRecord, RequestStatus } from '../../../shared/api/requests.ts'
import type { SessionStep } from '../../../shared/api/sessions.ts'
import { describeStep, describeUnstored } from '../../../shared/api/step-text.ts'
import { getRequestName } from '../../data/request-name.ts'
import { formatOffset } from '../../data/session-name.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatDuration, formatUsd, formatUsdExact } from '../../kit/format.ts'
import { Cost, Count } from '../../parts/requests/status.tsx'
import type { Step } from './step-layout.ts'

const bars: Readonly<Record<RequestStatus, { look: string; label: string | null }>> = {
  running: { look: 'animate-pulse bg-(--chart-1)', label: 'Running' },
  succeeded: { look: 'bg-(--chart-1)', label: null },
  failed: { look: 'bg-bad-fill', label: 'Failed' },
  canceled: { look: 'bg-ink-3', label: 'Canceled' },
  refused: { look: 'bg-warn-fill', label: 'Refused' },
  rejected: { look: 'bg-bad-fill', label: 'Rejected' },
}

interface StepRowProps {
  step: Step
  /** The actions of its stored answer; undefined if it is not stored. */
  done: SessionStep | undefined
  /** The step whose tools it called again; undefined if it did something new. */
  repeated: Step | undefined
  sessionId: string
  /** The one row in the tab order. Arrow keys move from it. */
  tabStop: boolean
  /** Marked in the chart. */
  current: boolean
  onCurrent: (id: string) => void
}

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, done, repeated, sessionId, tabStop, current, onCurrent } = props
  const { record, offsetMs, durationMs, from, to, totalUsd } = step
  const { look, label } = bars[record.status]
  const name = getRequestName(record)
  const what = done ? describeStep(done) : describeUnstored(record)
  const secrets = record.secrets?.map(({ kind }) => kind).join(', ') ?? null
  const secret = secrets === null ? null : `The prompt had a secret: ${secrets}`
  const again = repeated ? `Same calls as at ${formatOffset(repeated.offsetMs)}` : null
  return (
    <Link
      href={`/requests/${encodeURIComponent(record.id)}?session=${encodeURIComponent(sessionId)}`}
      tabIndex={tabStop ? 0 : -1}
      aria-label={[describe(step, what), again, secret].filter(Boolean).join(', ')}
      title={`${what === '' ? '' : `${what}\n`}${again === null ? '' : `${again}\n`}${secret === null ? '' : `${secret}\n`}${name}, ${formatUsdExact(totalUsd)} up to this step`}
      onFocus={() => onCurrent(record.id)}
      onPointerEnter={() => onCurrent(record.id)}
      className={cn(
        // Rows out of sight take no time.
        'grid h-8 scroll-mt-48 scroll-mb-2 grid-cols-[3.25rem_minmax(0,2fr)_minmax(0,1fr)_4.5rem_5.25rem] items-center gap-2 rounded-md px-2 text-sm [contain-intrinsic-size:auto_2rem] [content-visibility:auto]',
        current && 'bg-sunken',
      )}
    >
      <span className="text-ink-3 text-xs tabular-nums">{formatOffset(offsetMs)}</span>
      <span className="flex min-w-0 gap-1.5">
        {again === null ? null : <Repeat2 size={13} aria-hidden className="mt-0.5 shrink-0 text-warn" />}
        {secret === null ? null : <KeyRound size={13} aria-hidden className="mt-0.5 shrink-0 text-warn" />}
        <span className="truncate">{done ? what : name}</span>
        {done || what === '' ? null : <span className="truncate text-ink-3 text-xs leading-5">{what}</span>}
        <Count record={record} />
      </span>
      <span aria-hidden className="relative h-4" title={formatDuration(durationMs)}>
        <span className="absolute inset-x-0 top-1/2 h-px bg-line" />
        <span
          className={cn('absolute top-1 h-2 min-w-0.5 rounded-xs', look)}
          style={{ left: `${from * 99}%`, width: `${Math.max(0, to - from) * 100}%` }}
        />
      </span>
      <span className={cn('text-right', label === null ? 'text-ink-2' : getTone(record))}>
        {label ?? formatCount(record.tokensIn + record.tokensOut, true)}
      </span>
      <span className="whitespace-nowrap text-right">
        <Cost record={record} />
      </span>
    </Link>
  )
})

function getTone({ status }: RequestRecord): string {
  if (status === 'failed' || status === 'rejected') return 'text-bad'
  return status === 'refused' ? 'text-warn' : 'text-ink-3'
}

/** Describes the bar and the columns for screen readers. */
function describe({ record, offsetMs, durationMs, totalUsd }: Step, what: string): string {
  const status = bars[record.status].label ?? 'Succeeded'
  const cost = record.costUsd === null ? 'cost unknown' : formatUsd(record.costUsd)
  return [
    `After ${formatOffset(offsetMs)}`,
    getRequestName(record),
    ...(what === '' ? [] : [what]),
    status,
    formatDuration(durationMs),
    `${formatCount(record.tokensIn + record.tokensOut)} tokens`,
    cost,
    `${formatUsd(totalUsd)} in all`,
  ].join(', ')
}
