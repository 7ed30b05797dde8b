import { useQuery } from '@tanstack/react-query'
import { latestRequest } from '../../data/latest-request.ts'
import { StatusDot } from '../../kit/badge.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { RelativeTime } from '../controls/relative-time.tsx'
import { Arrival } from './arrival.tsx'

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
