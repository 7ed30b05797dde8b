import { Plus, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { Rehearsed } from '../../../features/rules/view/rehearsal.tsx'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { isSameLimit } from '../../../shared/limits/limits.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Button } from '../../kit/button.tsx'
import { Input } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { addDraft, findMistakes, type LimitDraft, parseDraft } from './limit-draft.ts'
import { describeSpent, PERIODS } from './limit-text.ts'
import { ModelPatternPicker } from './model-pattern-picker.tsx'

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
  /** The key on whose past they are tried while they are edited; null for all keys, and undefined without a past. */
  keyId?: string | null
}

/** Edits a list of spend limits. */
export function LimitRows({
  drafts,
  onChange,
  saved,
  withProject = false,
  showMissing,
  keyId,
}: LimitRowsProps) {
  const list = useRef<HTMLUListElement>(null)
  const mistakes = findMistakes(drafts)
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
                keyId={keyId}
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

const ACTIONS = [
  { value: 'stop', label: 'Stop', hint: 'Requests are refused at the limit' },
  { value: 'ask', label: 'Ask me', hint: 'Requests wait until you allow more' },
  { value: 'warn', label: 'Warn only', hint: 'You get an alert, and requests continue' },
] as const

const periods = PERIODS.map(({ id, label, hint }) => ({ value: id, label, hint }))

interface LimitRowProps {
  /** Its place in the list, from 1. */
  number: number
  draft: LimitDraft
  mistake: string | null
  /** Undefined for one that is not saved. */
  state: AccountSpendLimitState | undefined
  keyId: string | null | undefined
  withProject: boolean
  onChange: (part: Partial<LimitDraft>) => void
  onRemove: () => void
}

function LimitRow({ number, draft, mistake, state, keyId, withProject, onChange, onRemove }: LimitRowProps) {
  const noteId = useId()
  const now = useNow()
  const zone = useTimeZone()
  const note = mistake ?? (state ? `${describeSpent(state, now, zone)}.` : null)
  const parsed = parseDraft(draft)
  const isSaved = parsed.ok && parsed.limit.usd === state?.usd && draft.action === (state.action ?? 'stop')
  const isTried = keyId !== undefined && mistake === null && !isSaved
  const name = (what: string) => `${what} of limit ${number}`
  return (
    <li>
      <div className="flex flex-wrap items-center gap-2">
        <div className="relative w-24 shrink-0">
          <span aria-hidden className="absolute top-1.5 left-2.5 text-ink-3">
            $
          </span>
          <Input
            aria-label={name('Amount in USD')}
            aria-invalid={mistake !== null}
            aria-describedby={note === null ? undefined : noteId}
            value={draft.usd}
            inputMode="decimal"
            onChange={(event) => onChange({ usd: event.target.value })}
            className="pl-6"
          />
        </div>
        <Select
          label={name('Period')}
          value={draft.period}
          options={periods}
          onChange={(period) => onChange({ period })}
          className="w-32"
        />
        <ModelPatternPicker
          single
          label={name('Models')}
          chosen={draft.model === '' ? [] : [draft.model]}
          onChange={([model = '']) => onChange({ model })}
          className="w-36 grow"
        />
        {withProject ? (
          <div className="w-32 grow">
            <Input
              aria-label={name('Project')}
              value={draft.tag}
              maxLength={100}
              placeholder="All projects"
              onChange={(event) => onChange({ tag: event.target.value })}
            />
          </div>
        ) : null}
        <Select
          label={name('Action')}
          value={draft.action}
          options={ACTIONS}
          onChange={(action) => onChange({ action })}
          className="w-28"
        />
        <IconButton small label={`Remove limit ${number}`} icon={X} onClick={onRemove} />
      </div>
      {note === null ? null : (
        <p id={noteId} className={mistake === null ? 'mt-1 text-ink-3 text-sm' : 'mt-1 text-bad text-sm'}>
          {note}
        </p>
      )}
      <Rehearsed trial={isTried && parsed.ok ? { keyId, limit: parsed.limit } : null} className="mt-1" />
    </li>
  )
}
