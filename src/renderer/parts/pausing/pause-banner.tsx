import { useQuery } from '@tanstack/react-query'
import { CirclePause, Play } from 'lucide-react'
import { resumeAll } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../controls/relative-time.tsx'

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
