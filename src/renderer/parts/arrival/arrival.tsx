import { Link } from 'wouter'
import type { RequestRecord, RequestStatus } from '../../../shared/api/requests.ts'
import { getRequestName } from '../../data/request-name.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { formatCount } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { RelativeTime } from '../controls/relative-time.tsx'

const FAILED_STATUSES: ReadonlySet<RequestStatus> = new Set(['failed', 'refused', 'rejected'])

interface ArrivalProps {
  request: RequestRecord
  keyName: string | null
}

/** A request that arrived: its outcome, and what to do if it was rejected. */
export function Arrival({ request, keyName }: ArrivalProps) {
  const { status, count, costUsd, sample, error, id } = request
  const failed = FAILED_STATUSES.has(status)
  return (
    <>
      <StatusDot tone={failed ? 'bad' : 'good'}>
        {status === 'rejected' ? (
          <>
            A request with {quoteName(keyName ?? '')} arrived{' '}
            <RelativeTime iso={request.lastAt ?? request.createdAt} /> and was rejected
          </>
        ) : (
          `Request received with ${quoteName(keyName ?? '')}`
        )}
      </StatusDot>
      <span>
        · {getRequestName(request)}
        {status === 'rejected' ? null : ` · ${status}`}
        {count > 1 ? ` · ×${formatCount(count)}` : null}
        {costUsd === null || status === 'rejected' ? null : (
          <>
            {' '}
            · <Money usd={costUsd} />
            {sample ? ' (sample)' : null}
          </>
        )}
      </span>
      <Link href={`/requests/${id}`} className="font-medium text-accent-ink hover:underline">
        View request
      </Link>
      {error && failed ? <span className="basis-full break-words text-bad">{error.message}</span> : null}
    </>
  )
}
