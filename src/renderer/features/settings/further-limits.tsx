import { type FormEvent, useEffect, useState } from 'react'
import { toast } from 'sonner'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { updateAccount } from '../../data/mutations.ts'
import { Button } from '../../kit/button.tsx'
import { InlineError } from '../../kit/notice.tsx'
import { useSubmit } from '../../kit/use-submit.ts'
import { type LimitDraft, parseDrafts, toDrafts } from '../../parts/limits/limit-draft.ts'
import { LimitRows } from '../../parts/limits/limit-list.tsx'
import { Row } from './section.tsx'

/**
 * The limits of all keys together besides the monthly one. Several fields make one limit, so they are saved with a button.
 */
export function FurtherLimits({ limits }: { limits: readonly AccountSpendLimitState[] }) {
  const saved = writeDrafts(toDrafts(limits))
  const [drafts, setDrafts] = useState(() => toDrafts(limits))
  const [tried, setTried] = useState(false)
  const { pending, error, submit } = useSubmit()
  const isChanged = writeDrafts(drafts) !== saved
  const reset = () => {
    setDrafts(toDrafts(limits))
    setTried(false)
  }
  // They may be changed elsewhere, such as where one has stopped a request.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another list of limits replaces what is edited
  useEffect(reset, [saved])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const spendLimits = parseDrafts(drafts)
    if (spendLimits === null) return
    void submit(async () => {
      await updateAccount({ spendLimits })
      toast.success('The limits were saved.')
    })
  }
  return (
    <Row
      title="Further limits"
      text="For all keys together: for a day, a week or a session, for some models, or for one project."
      below={
        <form onSubmit={onSubmit} className="mt-3 flex flex-col gap-3">
          <LimitRows
            withProject
            drafts={drafts}
            onChange={setDrafts}
            saved={limits}
            showMissing={tried}
            rehearsed={{ keyId: null, who: 'your keys' }}
          />
          <InlineError error={error} />
          {isChanged ? (
            <div className="flex justify-end gap-2">
              <Button onClick={reset}>Cancel</Button>
              <Button type="submit" variant="primary" pending={pending}>
                Save limits
              </Button>
            </div>
          ) : null}
        </form>
      }
    />
  )
}

function writeDrafts(drafts: readonly LimitDraft[]): string {
  return JSON.stringify(drafts.map(({ id: _, ...draft }) => draft))
}
