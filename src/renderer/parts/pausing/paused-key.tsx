import { useQuery } from '@tanstack/react-query'
import { CirclePause, CirclePlus, Play, Trash2 } from 'lucide-react'
import { toast } from 'sonner'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { limitsThatStop, RAISE_USD } from '../../../shared/limits/limits.ts'
import { resumeKey } from '../../data/mutations.ts'
import { queries } from '../../data/queries.ts'
import { Button } from '../../kit/button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../controls/relative-time.tsx'
import { describeRaise, raiseAndResume } from './raise-and-resume.ts'

interface PausedKeyProps {
  record: KeyMetadata
  onRevoke: () => void
}

/** Why a key is paused, and what the user can do about it. Nothing for other keys. */
export function PausedKey({ record, onRevoke }: PausedKeyProps) {
  const { data: account = null } = useQuery(queries.account)
  const { pending, error, submit } = useSubmit()
  const { id, name, pausedAt, pauseReason } = record
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      await resumeKey(id)
      toast.success(`${quoteName(name)} works again.`)
    })
  const stopping = limitsThatStop(record, account)
  const raise = () => submit(() => raiseAndResume(record, account))
  return (
    <section
      aria-label="Pause"
      className="flex flex-col gap-2.5 rounded-lg bg-warn-soft px-3.5 py-3 text-warn"
    >
      <div className="flex items-start gap-2.5">
        <CirclePause size={15} aria-hidden className="mt-0.5 shrink-0" />
        <p className="min-w-0">
          <strong className="font-semibold">
            Paused <RelativeTime iso={pausedAt} />.
          </strong>{' '}
          {pauseReason ?? 'No request with this key is sent to a model.'}
        </p>
      </div>
      <div className="flex flex-wrap gap-2 pl-6 text-ink">
        {stopping.length > 0 ? (
          <Button small icon={CirclePlus} disabled={pending} onClick={() => void raise()}>
            Raise by ${RAISE_USD}
          </Button>
        ) : null}
        <Button small icon={Play} pending={pending} onClick={() => void resume()}>
          Resume
        </Button>
        <Button small icon={Trash2} disabled={pending} onClick={onRevoke}>
          Revoke
        </Button>
      </div>
      {stopping.length > 0 ? (
        <p className="pl-6 text-ink-2 text-sm">
          If you raise it by ${RAISE_USD}, {describeRaise(stopping)}.
        </p>
      ) : null}
      <InlineError error={error} />
    </section>
  )
}
