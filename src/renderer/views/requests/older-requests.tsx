// Owns the end of the list: older requests are on their way, or could not be loaded. Its height never changes.
import { Button } from '../../components/button.tsx'
import { useRequests } from '../../stores/requests.ts'

export function OlderRequests() {
  const more = useRequests((store) => store.nextCursor !== null)
  const error = useRequests((store) => store.moreError)
  const { loadMore } = useRequests.getState()
  if (!more) return null
  return (
    <div className="flex h-11 items-center justify-center gap-3 px-6 text-ink-3 text-sm">
      {error ? (
        <>
          <span role="alert" className="truncate text-bad">
            Older requests could not be loaded. {error.message}
          </span>
          <Button small onClick={() => void loadMore()}>
            Try again
          </Button>
        </>
      ) : (
        'Loading older requests…'
      )}
    </div>
  )
}
