import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { RequestStatus } from '../../../shared/requests.ts'
import { StatusDot } from '../../components/badge.tsx'
import { Money } from '../../components/money.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { formatCount } from '../../format.ts'
import { getRequestName } from '../../request-name.ts'
import { latestRequest } from '../../server-state/latest-request.ts'

interface FirstRequestProps {
  keyId: string | null
  keyName: string | null
  /** When the key was last used; null if never. */
  since: string | null
}

const FAILED_STATUSES: ReadonlySet<RequestStatus> = new Set(['failed', 'refused', 'rejected'])

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
        <>
          <StatusDot tone={FAILED_STATUSES.has(latest.status) ? 'bad' : 'good'}>
            {latest.status === 'rejected'
              ? `A request with “${keyName}” was rejected`
              : `Request received with “${keyName}”`}
          </StatusDot>
          <span>
            · {getRequestName(latest)}
            {latest.status === 'rejected' ? null : ` · ${latest.status}`}
            {latest.count > 1 ? ` · ×${formatCount(latest.count)}` : null}
            {latest.costUsd === null || latest.status === 'rejected' ? null : (
              <>
                {' '}
                · <Money usd={latest.costUsd} />
              </>
            )}
          </span>
          <Link href={`/requests/${latest.id}`} className="font-medium text-accent-ink hover:underline">
            View request
          </Link>
          {latest.error && FAILED_STATUSES.has(latest.status) ? (
            <span className="basis-full break-words text-bad">{latest.error.message}</span>
          ) : null}
        </>
      ) : (
        <>
          <StatusDot tone="accent" pulse>
            {since === null
              ? `Waiting for the first request with “${keyName}”…`
              : `Waiting for a request with “${keyName}”…`}
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
