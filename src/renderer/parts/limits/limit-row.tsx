import { X } from 'lucide-react'
import { useId } from 'react'
import type { AccountSpendLimitState } from '../../../shared/api/spend-limits.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Input } from '../../kit/field.tsx'
import { IconButton } from '../../kit/icon-button.tsx'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import type { LimitDraft } from './limit-draft.ts'
import { describeSpent, PERIODS } from './limit-text.ts'
import { ModelPatternPicker } from './model-pattern-picker.tsx'

const ACTIONS = [
  { value: 'stop', label: 'Stop', hint: 'Requests are refused at the limit' },
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
  /** The limit's effect in the past; null if it is not known. */
  rehearsal: string | null
  withProject: boolean
  onChange: (part: Partial<LimitDraft>) => void
  onRemove: () => void
}

export function LimitRow({
  number,
  draft,
  mistake,
  state,
  rehearsal,
  withProject,
  onChange,
  onRemove,
}: LimitRowProps) {
  const noteId = useId()
  const now = useNow()
  const zone = useTimeZone()
  const facts = [...(state ? [`${describeSpent(state, now, zone)}.`] : []), ...(rehearsal ? [rehearsal] : [])]
  const note = mistake ?? (facts.length > 0 ? facts.join(' ') : null)
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
    </li>
  )
}
