import { Plus } from 'lucide-react'
import { useRef } from 'react'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { isSameLimit } from '../../../shared/limits/limits.ts'
import { Button } from '../../kit/button.tsx'
import { addDraft, findMistakes, type LimitDraft, parseDraft } from './limit-draft.ts'
import { LimitRow } from './limit-row.tsx'
import { describeRehearsal } from './rehearsal-text.ts'
import { useRehearsal } from './use-rehearsal.ts'

const MAX = 20

interface LimitRowsProps {
  drafts: readonly LimitDraft[]
  onChange: (drafts: LimitDraft[]) => void
  /** The spend under the saved limits. */
  saved: readonly AccountSpendLimitState[]
  /** Whether a limit can be for one project, as those of the account can. */
  withProject?: boolean
  /** Shows what is missing, also before it was typed. */
  showMissing: boolean
  /**
   * The past on which they are tried while they are edited: that of a key, or with a null id of all keys; undefined without
   * a past.
   */
  rehearsed?: { keyId: string | null; who: string }
}

/** Edits a list of spend limits. */
export function LimitRows({
  drafts,
  onChange,
  saved,
  withProject = false,
  showMissing,
  rehearsed,
}: LimitRowsProps) {
  const list = useRef<HTMLUListElement>(null)
  const mistakes = findMistakes(drafts)
  const good = drafts.filter((_, index) => mistakes[index] === null)
  const tried = good.flatMap((draft) => {
    const parsed = parseDraft(draft)
    return parsed.ok ? [parsed.limit] : []
  })
  const results = useRehearsal(
    rehearsed?.keyId ?? null,
    rehearsed && tried.length > 0 ? { spendLimits: tried } : null,
  )
  const findRehearsal = (draft: LimitDraft) => {
    const place = good.indexOf(draft)
    const limit = tried[place]
    const result = results?.find(({ param }) => param === `spendLimits[${place}]`)
    return rehearsed && limit && result ? describeRehearsal(result, { ...limit, who: rehearsed.who }) : null
  }
  const add = () => {
    onChange(addDraft(drafts))
    // The new row is there after this update.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }
  return (
    <div className="flex flex-col gap-2">
      {drafts.length === 0 ? null : (
        <ul ref={list} className="flex flex-col gap-3">
          {drafts.map((draft, index) => {
            const parsed = parseDraft(draft)
            return (
              <LimitRow
                key={draft.id}
                number={index + 1}
                draft={draft}
                mistake={showMissing || draft.usd !== '' ? (mistakes[index] ?? null) : null}
                state={parsed.ok ? saved.find((one) => isSameLimit(one, parsed.limit)) : undefined}
                rehearsal={findRehearsal(draft)}
                withProject={withProject}
                onChange={(part) =>
                  onChange(drafts.map((one) => (one.id === draft.id ? { ...one, ...part } : one)))
                }
                onRemove={() => onChange(drafts.filter(({ id }) => id !== draft.id))}
              />
            )
          })}
        </ul>
      )}
      <div>
        <Button small icon={Plus} disabled={drafts.length >= MAX} onClick={add}>
          Add a limit
        </Button>
      </div>
    </div>
  )
}
