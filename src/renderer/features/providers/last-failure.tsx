import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { ProviderRecord } from '../../../shared/api/providers.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { api } from '../../data/api.ts'
import { type Query, volatileQuery } from '../../data/query-client.ts'
import { RelativeTime } from '../../parts/controls/relative-time.tsx'

function lastFailedRequest(provider: string): Query<RequestRecord | null> {
  return volatileQuery(['usage-in', 'last-failed-request', provider], async () => {
    const { data } = await api('listRequests', { query: { provider, status: 'failed', limit: 1 } })
    return data[0] ?? null
  })
}

/** The last error of a failing provider, and when it was. */
export function LastFailure({ provider }: { provider: ProviderRecord }) {
  const { state, lastError, lastErrorAt } = provider.health
  const { data: request = null } = useQuery(lastFailedRequest(provider.id))
  const isRequests =
    request !== null && (lastErrorAt === null || Date.parse(request.createdAt) > Date.parse(lastErrorAt))
  const message = isRequests ? request.error?.message : lastError
  const at = isRequests ? request.createdAt : lastErrorAt
  if (!message || at === null) return null
  return (
    <p className="mt-2 flex gap-2 text-ink-2 text-sm">
      <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <span className="min-w-0 break-words">
        {state === 'resting' ? 'Paused after repeated failures. ' : null}
        Last error <RelativeTime iso={at} />: {message}{' '}
        <Link
          href={`/requests?provider=${encodeURIComponent(provider.id)}&status=failed`}
          className="font-medium text-accent-ink hover:underline"
        >
          View failed requests
        </Link>
      </span>
    </p>
  )
}
