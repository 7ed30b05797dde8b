import { toast } from 'sonner'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { releaseRequest } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { formatTime, formatUsd } from '../../kit/format.ts'
import { InlineError } from '../../kit/notice.tsx'
import { quoteName } from '../../kit/quote-name.ts'
import { useNow } from '../../kit/use-now.ts'
import { useSubmit } from '../../kit/use-submit.ts'

/** The amount that stays reserved after a request without an answer, and a button that releases it. */
export function HeldAmount({ record }: { record: RequestRecord }) {
  const { id, keyName, heldUsd, heldUntil } = record
  const now = useNow()
  const zone = useTimeZone()
  const { pending, error, submit } = useSubmit()
  if (heldUsd === null || heldUntil === null || Date.parse(heldUntil) <= now) return null
  const amount = formatUsd(heldUsd)
  const release = (button: HTMLElement) => {
    const panel = button.closest<HTMLElement>('[role=dialog]')
    void submit(async () => {
      await releaseRequest(id)
      toast.success(`Released ${amount}. ${quoteName(keyName)} can spend it again.`)
      // The button has unmounted and the focus would be lost with it.
      panel?.focus()
    })
  }
  return (
    <div className="flex flex-col gap-2.5 rounded-lg bg-sunken px-3.5 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-48 flex-1">
          {amount} stays reserved until {formatTime(heldUntil, zone)}, because the provider may still bill it.
        </p>
        <Button small pending={pending} onClick={({ currentTarget }) => release(currentTarget)}>
          Release
        </Button>
      </div>
      <InlineError error={error} />
    </div>
  )
}
