// Owns the end of the list: older requests are on their way, or could not be loaded. Its height never changes.
import type { ApiError } from '../../api-error.ts'
import { Button } from '../../components/button.tsx'

interface OlderRequestsProps {
  error: ApiError | null
  onRetry: () => void
}

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
