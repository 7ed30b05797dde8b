import type { UsageRow } from '../../../shared/usage.ts'
import { cn } from '../../components/cn.ts'
import { formatCount, formatDuration } from '../../format.ts'
import { formatErrorRate, hasManyErrors } from './provider-usage.ts'

/** The columns of the last day: of the head and of each row. Narrow windows show only the errors. */
const columns = {
  requests: 'w-18 text-right max-lg:hidden',
  errors: 'w-14 text-right max-sm:mr-auto max-sm:w-auto',
  latency: 'w-18 text-right max-lg:hidden',
} as const

export function StatsHead() {
  return (
    <>
      <span className={columns.requests}>Requests</span>
      <span className={cn(columns.errors, 'max-sm:hidden')}>Errors</span>
      <span className={columns.latency}>Latency</span>
    </>
  )
}

/** `usage`: undefined for a provider without requests. */
export function ProviderStats({ usage }: { usage: UsageRow | undefined }) {
  const none = <span aria-hidden>–</span>
  if (!usage || usage.requests === 0) {
    return (
      <>
        <span className="sr-only">No requests in the last 24 hours</span>
        <span className={cn(columns.requests, 'text-ink-3')}>{none}</span>
        <span className={cn(columns.errors, 'text-ink-3 max-sm:invisible')}>{none}</span>
        <span className={cn(columns.latency, 'text-ink-3')}>{none}</span>
      </>
    )
  }
  const { requests, latencyP50Ms } = usage
  return (
    <>
      <span className={cn(columns.requests, 'tabular-nums')}>
        {formatCount(requests, true)}
        <span className="sr-only"> requests in the last 24 hours</span>
      </span>
      <span className={cn(columns.errors, 'tabular-nums', hasManyErrors(usage) && 'font-medium text-bad')}>
        {formatErrorRate(usage)}
        <span className="sr-only max-sm:not-sr-only"> failed</span>
      </span>
      <span className={cn(columns.latency, 'tabular-nums')}>
        {latencyP50Ms == null ? none : formatDuration(latencyP50Ms)}
        <span className="sr-only"> median latency</span>
      </span>
    </>
  )
}
