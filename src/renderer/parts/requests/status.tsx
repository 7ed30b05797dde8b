import { FlaskConical } from 'lucide-react'
import type { CostStatus, RequestRecord, RequestStatus } from '../../../shared/api/requests.ts'
import { REQUEST_STATUSES } from '../../../shared/api/terms.ts'
import { lowerLabel } from '../../../shared/values/locale.ts'
import { StatusDot, type Tone } from '../../kit/badge.tsx'
import { formatCount, formatUsd, formatUsdExact } from '../../kit/format.ts'
import { ColumnMoney } from '../../kit/money.tsx'

const states: Record<RequestStatus, { label: string; tone: Tone }> = {
  running: { label: 'Running', tone: 'accent' },
  succeeded: { label: 'Succeeded', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  canceled: { label: 'Canceled', tone: 'plain' },
  refused: { label: 'Refused', tone: 'warn' },
  rejected: { label: 'Rejected', tone: 'bad' },
}

/** The status of a request within a sentence. */
export function nameStatus(status: RequestStatus): string {
  return lowerLabel(states[status].label)
}

/** How certain a cost is, in a word. */
export const costStatusNames: Record<CostStatus, string> = {
  pending: 'pending',
  exact: 'exact',
  estimated: 'estimated',
  unsettled: 'unsettled',
  confirmed: 'confirmed',
  unknown: 'unknown',
  free: 'free',
  plan: 'plan',
  cached: 'cached',
}

export const statusOptions = REQUEST_STATUSES.map((value) => ({ value, label: states[value].label }))

export function Status({ record }: { record: RequestRecord }) {
  const { label, tone } = states[record.status]
  const bad = record.httpStatus !== null && record.httpStatus >= 400
  return (
    <StatusDot tone={tone} pulse={record.status === 'running'}>
      {label}
      {bad ? <span className="text-ink-3"> {record.httpStatus}</span> : null}
    </StatusDot>
  )
}

/** The color of the status, with its name for screen readers. */
export function StatusMark({ record }: { record: RequestRecord }) {
  const { label, tone } = states[record.status]
  return (
    <StatusDot tone={tone} pulse={record.status === 'running'}>
      <span className="sr-only">{label}</span>
    </StatusDot>
  )
}

/** The number of calls that a row represents; renders nothing for a single call. */
export function Count({ record }: { record: RequestRecord }) {
  if (record.count <= 1) return null
  return (
    <span title={formatCallCount(record)} className="shrink-0 font-normal text-ink-2">
      ×{formatCount(record.count, true)}
    </span>
  )
}

export function formatCallCount({ count }: RequestRecord): string {
  return `${formatCount(count)} calls within a minute, with the same error`
}

export const costNotes: Record<CostStatus, string | null> = {
  pending: 'Not settled while the request is running.',
  exact: null,
  estimated: 'The provider reported no usage, so the tokens were counted here.',
  unsettled: 'The provider’s charge is unknown. This estimate counts until you confirm the cost.',
  confirmed: 'You confirmed this cost.',
  unknown: 'This model has no known price, so nothing was charged.',
  free: 'Nothing was charged.',
  plan: 'Your plan paid for it, so nothing was charged. It would have cost this by the vendor’s API.',
  cached: 'The response cache answered it, so no provider was called. The stored answer cost this.',
}

/** How a cost became known. An estimated one has a highest cost if its provider reported that, and it was not believed. */
export function describeCostStatus(status: CostStatus, highUsd: number | null): string | null {
  return status === 'estimated' && highUsd !== null
    ? `The provider reported ${formatUsd(highUsd)}. That is more than this request can cost, so the most that it can is charged.`
    : costNotes[status]
}

export const SAMPLE_NOTE =
  'A sample cost of the sandbox, which no one bills: it counts under the limits of its key, and in no total.'

/** The cost: what counts for caps and totals. An unknown cost is never shown as zero. */
export function Cost({ record }: { record: RequestRecord }) {
  const { status, costStatus, costUsd, worthUsd, savedUsd, costLowUsd, costHighUsd, sample } = record
  if (costStatus === 'unknown') {
    return (
      <span className="text-ink-3" title={costNotes.unknown ?? undefined}>
        Unknown
      </span>
    )
  }
  if (costUsd === null) return <span className="text-ink-3">–</span>
  if (costStatus === 'pending') {
    return (
      <span title={`So far. ${sample ? SAMPLE_NOTE : costNotes.pending}`}>
        {sample ? <SampleSign /> : <span className="text-ink-3">~</span>}
        <ColumnMoney usd={costUsd} />
      </span>
    )
  }
  if (costStatus === 'plan') {
    return (
      <span className="text-ink-3" title={costNotes.plan ?? undefined}>
        {worthUsd === null ? 'Plan' : `worth ${formatUsd(worthUsd)}`}
      </span>
    )
  }
  if (costStatus === 'cached') {
    return (
      <span className="text-ink-3" title={costNotes.cached ?? undefined}>
        {`saved ${formatUsd(savedUsd ?? 0)}`}
      </span>
    )
  }
  // Nothing was purchased, so “Free” would mislead.
  if (costUsd === 0) return <span className="text-ink-3">{status === 'succeeded' ? 'Free' : '–'}</span>
  if (sample) {
    return (
      <span title={SAMPLE_NOTE}>
        <SampleSign />
        <ColumnMoney usd={costUsd} />
      </span>
    )
  }
  const bounds =
    costStatus === 'unsettled' && costLowUsd !== null && costHighUsd !== null
      ? ` It is between ${formatUsdExact(costLowUsd)} and ${formatUsdExact(costHighUsd)}.`
      : ''
  const isSure = costStatus !== 'estimated' && costStatus !== 'unsettled'
  return (
    <>
      {isSure ? null : (
        <span className="text-ink-3" title={`${describeCostStatus(costStatus, costHighUsd)}${bounds}`}>
          ~
        </span>
      )}
      <ColumnMoney usd={costUsd} />
    </>
  )
}

function SampleSign() {
  return (
    <span className="mr-0.5 inline-block align-[-1px] text-ink-3">
      <FlaskConical size={11} aria-hidden />
      <span className="sr-only">Sample </span>
    </span>
  )
}
