import { History } from 'lucide-react'
import type { Backup } from '../../../shared/api/account.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { cancelRestore } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { formatMoment } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'

/** `backup` is null if it is no longer in the list. */
export function PendingRestore({ id, backup }: { id: string; backup: Backup | null }) {
  const timeZone = useTimeZone()
  const cancel = useSubmit()
  const restart = useSubmit()
  const { desktop } = window
  const busy = cancel.pending || restart.pending
  return (
    <div role="status" className="flex flex-col gap-2 bg-warn-soft px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex min-w-60 flex-1 gap-2 text-ink">
          <History size={14} aria-hidden className="mt-[3px] shrink-0 text-warn" />
          <span>
            The backup of {backup ? formatMoment(backup.madeAt, timeZone) : id} replaces the current data when
            Tollgate restarts.{' '}
            {desktop ? null : (
              <>
                Restart <code className="font-mono text-sm">tollgate serve</code> to finish.
              </>
            )}
          </span>
        </p>
        <div className="flex gap-2">
          <Button
            small
            pending={cancel.pending}
            disabled={busy}
            onClick={() => void cancel.submit(() => cancelRestore(id))}
          >
            Cancel restore
          </Button>
          {desktop ? (
            <Button
              small
              pending={restart.pending}
              disabled={busy}
              onClick={() => void restart.submit(() => desktop.relaunch())}
            >
              Restart now
            </Button>
          ) : null}
        </div>
      </div>
      <InlineError
        error={restart.error ? 'The app did not restart. Quit it and open it again.' : cancel.error}
      />
    </div>
  )
}
