// Owns a request's state in words and tones: how it ended, and how sure its cost is.
import type { CostStatus, RequestRecord, RequestStatus } from '../../../shared/requests.ts'
import { StatusDot, type Tone } from '../../components/badge.tsx'
import { Money } from '../../components/money.tsx'
import { formatCount, formatUsd, formatUsdExact } from '../../format.ts'

const states: Record<RequestStatus, { word: string; tone: Tone }> = {
  running: { word: 'Running', tone: 'accent' },
  succeeded: { word: 'Succeeded', tone: 'good' },
  failed: { word: 'Failed', tone: 'bad' },
  canceled: { word: 'Canceled', tone: 'plain' },
  refused: { word: 'Refused', tone: 'warn' },
  rejected: { word: 'Rejected', tone: 'bad' },
}

export const statusOptions = Object.entries(states).map(([value, { word }]) => ({ value, label: word }))

export function Status({ record }: { record: RequestRecord }) {
  const { word, tone } = states[record.status]
  const bad = record.httpStatus !== null && record.httpStatus >= 400
  return (
    <StatusDot tone={tone} pulse={record.status === 'running'}>
      {word}
      {bad ? <span className="text-ink-3"> {record.httpStatus}</span> : null}
    </StatusDot>
  )
}

/** For how many calls a row stands; nothing where it is one. */
export function Count({ record }: { record: RequestRecord }) {
  if (record.count <= 1) return null
  return (
    <span title={countWords(record)} className="shrink-0 font-normal text-ink-2">
      ×{formatCount(record.count, true)}
    </span>
  )
}

export function countWords({ count }: RequestRecord): string {
  return `${formatCount(count)} calls within a minute, all for this reason`
}

export const costWords: Record<CostStatus, string | null> = {
  pending: 'Not settled while it runs.',
  exact: null,
  estimated: 'The provider gave no count, so the tokens were counted here.',
  unsettled: 'The outcome upstream is unknown; so much is counted until it is settled.',
  confirmed: 'You confirmed what it cost.',
  unknown: 'This model has no known price, so nothing was charged.',
  free: 'Nothing was consumed.',
}

/** The cost as a row shows it: never a bare zero for what is not known. */
export function Cost({ record }: { record: RequestRecord }) {
  const { costStatus, costUsd, costLowUsd, costHighUsd } = record
  if (costStatus === 'pending') return <span className="text-ink-3">–</span>
  if (costStatus === 'unknown') return <span className="text-ink-3">unknown</span>
  if (costStatus === 'unsettled' && costLowUsd !== null && costHighUsd !== null) {
    return (
      <span title={`between ${formatUsdExact(costLowUsd)} and ${formatUsdExact(costHighUsd)}`}>
        ≤ {formatUsd(costHighUsd)}
      </span>
    )
  }
  if (costUsd === null) return <span className="text-ink-3">–</span>
  return (
    <>
      {costStatus === 'estimated' ? (
        <span className="text-ink-3" title={costWords.estimated ?? undefined}>
          ~
        </span>
      ) : null}
      <Money usd={costUsd} />
    </>
  )
}
