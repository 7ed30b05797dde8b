import { CirclePause } from 'lucide-react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { resumeKey } from '../../data/mutations.ts'
import { quoteName } from '../../kit/quote-name.ts'
import { useSubmit } from '../../kit/use-submit.ts'
import { RelativeTime } from '../controls/relative-time.tsx'

/** A paused key in a list: since when, why, and the way on. Its name leads to the key. */
export function PausedKeyRow({ record: { id, name, pausedAt, pauseReason } }: { record: KeyMetadata }) {
  const { pending, error, submit } = useSubmit()
  if (pausedAt === null) return null
  const resume = () =>
    submit(async () => {
      await resumeKey(id)
      toast.success(`${quoteName(name)} works again.`)
    })
  return (
    <li className="flex items-start gap-2 rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
      <CirclePause size={14} aria-hidden className="mt-0.5 shrink-0" />
      <div className="min-w-0 flex-1">
        <p className="truncate">
          <Link href={`/keys?edit=${id}`} className="target font-medium hover:underline">
            <bdi>{name}</bdi>
          </Link>{' '}
          · paused <RelativeTime iso={pausedAt} />
        </p>
        <p className="line-clamp-2" title={pauseReason ?? undefined}>
          {error?.message ?? pauseReason ?? 'No request with this key is sent to a model.'}
        </p>
      </div>
      <button
        type="button"
        aria-label={`Resume ${quoteName(name)}`}
        disabled={pending}
        onClick={() => void resume()}
        className="target shrink-0 rounded-sm font-medium hover:underline disabled:opacity-50"
      >
        Resume
      </button>
    </li>
  )
}
