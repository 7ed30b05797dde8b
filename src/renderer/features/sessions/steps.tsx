import { ArrowDown, KeyRound, Repeat2 } from 'lucide-react'
import { memo } from 'react'
import { Link } from 'wouter'
import { describeRuleAnswer } from '../../../features/rules/api/texts.ts'
import { getBranchKey } from '../../../shared/api/agent-tree.ts'
import type { RequestRecord, RequestStatus } from '../../../shared/api/requests.ts'
import type { SessionStep } from '../../../shared/api/sessions.ts'
import { describeStep, describeUnstored } from '../../../shared/api/step-text.ts'
import { getRequestName } from '../../data/request-log.ts'
import { formatOffset } from '../../data/session-name.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount, formatDuration, formatUsd, formatUsdExact } from '../../kit/format.ts'
import { Cost, Count } from '../../parts/requests/status.tsx'

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
  const ruled = describeRules(record)
  const again = repeated ? `Same calls as at ${formatOffset(repeated.offsetMs)}` : null
  return (
    <Link
      href={`/requests/${encodeURIComponent(record.id)}?session=${encodeURIComponent(sessionId)}`}
      tabIndex={tabStop ? 0 : -1}
      aria-label={[describe(step, what), again, secret, ruled].filter(Boolean).join(', ')}
      title={[what, again, secret, ruled, `${name}, ${formatUsdExact(totalUsd)} up to this step`]
        .filter(Boolean)
        .join('\n')}
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
        {ruled === null ? null : <ArrowDown size={13} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />}
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

/** Names the rule that changed the request or asked about it; null for none. */
function describeRules({ rules, requestedModel, model }: RequestRecord): string | null {
  const acting = rules?.find(
    // A step shows an answer where it was given, or refuses it.
    ({ shadow, changes, answer }) => !shadow && (changes.length > 0 || answer === 'allowed'),
  )
  if (!acting) return null
  if (acting.answer !== null) return `Rule “${acting.ruleName}”: ${describeRuleAnswer(acting)}`
  const isMoved = model !== null && acting.changes.some(({ field }) => field === 'model')
  return `Rule “${acting.ruleName}”${isMoved ? `: ${model} instead of ${requestedModel}` : ''}`
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

// Where the requests of a session are on its time axis. Long pauses, in which the user reads or thinks, are shortened: otherwise all
// requests of a session of hours would be hairlines.

/** Pauses longer than this are shortened. */
const LONG_MS = 60_000
/** The part of the axis for a shortened pause, relative to the time in which something ran. */
const PAUSE_PART = 0.04

export interface Step {
  record: RequestRecord
  /** The offset from the beginning of the session, in milliseconds. */
  offsetMs: number
  durationMs: number
  /** The place on the axis, from 0 to 1. */
  from: number
  to: number
  /** The cost of this step and all before it, in USD. */
  totalUsd: number
  /** The pause before it, if it is a long one; otherwise 0. */
  pauseMs: number
}

/** `records` from the first to the last. A request that runs lasts until now. */
export function layoutSteps(records: readonly RequestRecord[], nowMs: number): Step[] {
  const first = records[0]
  if (first === undefined) return []
  const begin = Date.parse(first.createdAt)
  const spans = records.map((record) => {
    const start = Date.parse(record.createdAt)
    return { record, start, end: start + computeDuration(record, start, nowMs) }
  })
  const pauses: number[] = []
  let busyUntil = begin
  let busyMs = 0
  for (const { start, end } of spans) {
    const gap = Math.max(0, start - busyUntil)
    pauses.push(gap > LONG_MS ? gap : 0)
    busyMs += (gap > LONG_MS ? 0 : gap) + Math.max(0, end - Math.max(start, busyUntil))
    busyUntil = Math.max(busyUntil, end)
  }
  const shownPauseMs = Math.max(1, busyMs * PAUSE_PART)
  const pauseCount = pauses.filter((ms) => ms > 0).length
  const wholeMs = Math.max(1, busyMs + pauseCount * shownPauseMs)
  let cutMs = 0
  let totalUsd = 0
  return spans.map(({ record, start, end }, index) => {
    const pauseMs = pauses[index] ?? 0
    if (pauseMs > 0) cutMs += pauseMs - shownPauseMs
    totalUsd += record.costUsd ?? 0
    return {
      record,
      offsetMs: start - begin,
      durationMs: end - start,
      from: (start - begin - cutMs) / wholeMs,
      to: Math.min(1, (end - begin - cutMs) / wholeMs),
      totalUsd,
      pauseMs,
    }
  })
}

function computeDuration({ status, timings }: RequestRecord, start: number, nowMs: number): number {
  if (timings.totalMs !== null) return timings.totalMs
  return status === 'running' ? Math.max(0, nowMs - start) : 0
}

/**
 * The steps that call the same tools with the same arguments as the step of their agent before them, by request id, each with the
 * first of the row. The same test after an edit is no repeat.
 */
export function findRepeats(
  steps: readonly Step[],
  done: ReadonlyMap<string, SessionStep> | undefined,
): ReadonlyMap<string, Step> {
  const repeats = new Map<string, Step>()
  const last = new Map<string, { calls: string; first: Step }>()
  for (const step of steps) {
    const tools = done?.get(step.record.id)?.tools ?? []
    const agent = getBranchKey(step.record)
    const calls = JSON.stringify(tools)
    const before = last.get(agent)
    if (tools.length > 0 && before?.calls === calls) repeats.set(step.record.id, before.first)
    else last.set(agent, { calls, first: step })
  }
  return repeats
}

/** The cost of each model, the most expensive first. */
export function sumByModel(records: readonly RequestRecord[]) {
  const sums = new Map<string, { model: string; requests: number; tokens: number; costUsd: number }>()
  for (const record of records) {
    const model = record.model ?? record.requestedModel
    if (model === null || record.status === 'refused' || record.status === 'rejected') continue
    const sum = sums.get(model) ?? { model, requests: 0, tokens: 0, costUsd: 0 }
    sum.requests += record.count
    sum.tokens += record.tokensIn + record.tokensOut
    sum.costUsd += record.costUsd ?? 0
    sums.set(model, sum)
  }
  return [...sums.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}
