import { CirclePause, CirclePlus, Play, Trash2 } from 'lucide-react'
import { toast } from 'sonner'
import type { KeyMetadata } from '../../shared/keys.ts'
import { isCapUsedUp, RAISE_USD, raisedCap } from '../../shared/raise-cap.ts'
import { Button } from '../components/button.tsx'
import { InlineError } from '../components/notice.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { resumeKey, updateKey } from '../server-state/mutations.ts'
import { useSubmit } from '../use-submit.ts'

interface PausedKeyProps {
  record: KeyMetadata
  onRevoke: () => void
}

/** Why a key is paused, and what the user can do about it. Nothing for other keys. */
export function PausedKey({ record, onRevoke }: PausedKeyProps) {
  const { pending, error, submit } = useSubmit()
  const { id, name, pausedAt, pauseReason } = record
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      await resumeKey(id)
      toast.success(`“${name}” works again.`)
    })
  const raise = () =>
    submit(async () => {
      await updateKey(id, { spendLimitUsd: raisedCap(record) })
      await resumeKey(id)
      toast.success(`“${name}” may spend $${RAISE_USD} more.`)
    })
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
        {isCapUsedUp(record) ? (
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
      <InlineError error={error} />
    </section>
  )
}
