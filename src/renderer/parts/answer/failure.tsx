import { CircleAlert, RefreshCw } from 'lucide-react'
import { adviceFor } from '../../data/advice.ts'
import { Button } from '../../kit/button.tsx'
import type { Answer } from '../chats/chat-storage.ts'
import { ErrorAction } from '../limits/error-action.tsx'
import { useSolved } from '../limits/solved.ts'

interface FailureProps {
  error: NonNullable<Answer['error']>
  model: string | null
  /** Requests the answer again; null while that is not possible. */
  onRetry: (() => void) | null
}

/** Why an answer failed, with what the user can do about it in place. */
export function Failure({ error, model, onRetry }: FailureProps) {
  const solved = useSolved({ error, keyId: null, model, failedAt: null })
  const advice = solved ?? adviceFor(error, { keyId: null, model })?.text
  return (
    <div role="alert" className="mt-2 flex gap-2.5 rounded-lg bg-bad-soft px-3.5 py-2.5">
      <CircleAlert size={15} aria-hidden className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="break-words font-medium text-bad">{error.message}</p>
        {advice ? <p className="text-ink-2">{advice}</p> : null}
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
          {solved === null ? <ErrorAction error={error} keyId={null} model={model} /> : null}
          {onRetry ? (
            <Button small icon={RefreshCw} onClick={onRetry}>
              Try again
            </Button>
          ) : null}
        </div>
      </div>
    </div>
  )
}
