import type { CostStatus } from '../../../shared/api/requests.ts'
import type { RequestFilter } from '../../data/request-filter.ts'
import { useRequestTotals } from '../../data/request-totals.ts'
import { cn } from '../../kit/cn.ts'
import { formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { Skeleton } from '../../kit/notice.tsx'

interface TotalsProps {
  filter: RequestFilter
  onFilter: (filter: RequestFilter) => void
}

/** The totals of all requests that match the filter. */
export function Totals({ filter, onFilter }: TotalsProps) {
  const { totals, stale } = useRequestTotals(filter)
  if (totals === undefined) return <Skeleton className="h-4 w-56" />
  const { requests, tokensIn, tokensOut, tokensCached, costUsd, unpriced, unsettled } = totals
  const only = (costStatus: CostStatus) => onFilter({ ...filter, costStatus })
  const split = `${formatCount(tokensIn)} in (${formatCount(tokensCached)} read from cache), ${formatCount(tokensOut)} out`
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div
      role="group"
      aria-label="Totals"
      className={cn(
        'flex min-w-0 items-baseline @max-[30rem]:gap-x-1 gap-x-1.5 @max-[30rem]:flex-wrap text-ink-2 text-sm',
        stale && 'opacity-60',
      )}
    >
      <span className="whitespace-nowrap">
        <b className="font-semibold text-ink">{formatCount(requests)}</b>{' '}
        {requests === 1 ? 'request' : 'requests'}
      </span>
      <Dot />
      <Money usd={costUsd} className="font-semibold text-ink" />
      <Dot />
      <span title={split} className="whitespace-nowrap">
        <b className="font-semibold text-ink">{formatCount(tokensIn + tokensOut, true)}</b> tokens
      </span>
      {/* Where they begin a line of their own, no dot is before them. */}
      <span className="flex min-w-0 gap-1.5 @max-[30rem]:[&>:first-child]:hidden">
        {unpriced === 0 || filter.costStatus === 'unknown' ? null : (
          <More onClick={() => only('unknown')}>{formatCount(unpriced)} without a price</More>
        )}
        {unsettled === 0 || filter.costStatus === 'unsettled' ? null : (
          <More onClick={() => only('unsettled')}>{formatCount(unsettled)} unsettled</More>
        )}
      </span>
    </div>
  )
}

function Dot() {
  return (
    <span aria-hidden className="text-ink-3">
      ·
    </span>
  )
}

function More({ onClick, children }: { onClick: () => void; children: string[] | string }) {
  return (
    <>
      <Dot />
      <button type="button" onClick={onClick} className="truncate rounded-sm text-warn hover:underline">
        {children}
      </button>
    </>
  )
}
