import { useQuery } from '@tanstack/react-query'
import { CirclePause, Play } from 'lucide-react'
import { Button } from '../components/button.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { resumeAll } from '../server-state/mutations.ts'
import { queries } from '../server-state/queries.ts'
import { useSubmit } from '../use-submit.ts'

/** Over every view while everything is paused. */
export function PauseBanner() {
  const { data: account } = useQuery(queries.account)
  const { pending, error, submit } = useSubmit()
  if (!account?.pausedAt) return null
  return (
    <div
      role="alert"
      className="flex min-h-11 shrink-0 items-center gap-3 border-line border-b bg-warn-soft px-4 py-1.5 text-warn"
    >
      <CirclePause size={15} aria-hidden className="shrink-0" />
      <p className="min-w-0">
        <strong className="font-semibold">Everything is paused.</strong>{' '}
        {error?.message ?? (
          <>
            No request is sent to a model. Paused <RelativeTime iso={account.pausedAt} />.
          </>
        )}
      </p>
      <Button small icon={Play} pending={pending} onClick={() => void submit(resumeAll)}>
        Resume
      </Button>
    </div>
  )
}
