import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { RequestRecord, RequestStatus } from '../../../shared/api/requests.ts'
import { getRequestName } from '../../data/request-log.ts'
import { latestRequest } from '../../data/running.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { formatCount, quoteName } from '../../kit/format.ts'
import { Money } from '../../kit/money.tsx'
import { RelativeTime } from '../controls/relative-time.tsx'
import { nameStatus } from '../requests/status.tsx'

const FAILED_STATUSES: ReadonlySet<RequestStatus> = new Set(['failed', 'refused', 'rejected'])

interface ArrivalProps {
  request: RequestRecord
  keyName: string | null
}

/** A request that arrived: its outcome, and what to do if it was rejected. */
function Arrival({ request, keyName }: ArrivalProps) {
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
        {status === 'rejected' ? null : ` · ${nameStatus(status)}`}
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

interface FirstRequestProps {
  keyId: string | null
  keyName: string | null
  /** When the key was last used; null if never. */
  since: string | null
}

export function FirstRequest({ keyId, keyName, since }: FirstRequestProps) {
  const { data: latest } = useQuery({
    ...latestRequest(keyId ?? '', since),
    // A tool may have been tried before the window was open. If that cannot be read, a new request is awaited.
    enabled: keyId !== null && since !== null,
  })
  if (keyId === null) return null
  return (
    <p role="status" className="mt-4 flex min-h-5 flex-wrap items-center gap-x-1.5 border-t pt-3 text-ink-2">
      {latest ? (
        <Arrival request={latest} keyName={keyName} />
      ) : (
        <>
          <StatusDot tone="accent" pulse>
            {since === null
              ? `Waiting for the first request with ${quoteName(keyName ?? '')}…`
              : `Waiting for a request with ${quoteName(keyName ?? '')}…`}
          </StatusDot>
          {since === null ? null : (
            <span className="text-ink-3">
              last used <RelativeTime iso={since} />
            </span>
          )}
        </>
      )}
    </p>
  )
}
