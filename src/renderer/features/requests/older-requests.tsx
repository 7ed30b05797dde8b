import type { ApiError } from '../../kit/api-error.ts'
import { Button } from '../../kit/button.tsx'

interface OlderRequestsProps {
  error: ApiError | null
  onRetry: () => void
}

/** The end of the list while there are older requests. Its height is the same in every state. */
export function OlderRequests({ error, onRetry }: OlderRequestsProps) {
  return (
    <div className="flex h-11 items-center justify-center gap-3 px-6 text-ink-3 text-sm">
      {error ? (
        <>
          <span role="alert" className="truncate text-bad">
            Older requests could not be loaded. {error.message}
          </span>
          <Button small onClick={onRetry}>
            Try again
          </Button>
        </>
      ) : (
        'Loading older requests…'
      )}
    </div>
  )
}
