import { X } from 'lucide-react'
import { useState } from 'react'
import { dayName, dayStart, systemTimeZone } from '../../../shared/values/calendar.ts'
import { addDays } from '../../data/calendar-days.ts'
import { useEnabledModels, useTimeZone } from '../../data/hooks.ts'
import { Field, Input, TextField } from '../../kit/field.tsx'
import { formatMoment } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'
import { describeModels, ModelPatternPicker, matchingModels } from '../limits/model-pattern-picker.tsx'
import type { KeyDraft } from './key-draft.ts'

interface BoundsFieldsProps {
  draft: KeyDraft
  onChange: (part: Partial<KeyDraft>) => void
}

/** Which requests the key may make, and until when. */
export function BoundsFields({ draft, onChange }: BoundsFieldsProps) {
  const { tag, allowedModels, expiresAt } = draft
  const models = useEnabledModels()
  const allowed = matchingModels(models, allowedModels)
  return (
    <>
      <TextField
        label="Project"
        value={tag}
        onChange={(text) => onChange({ tag: text })}
        maxLength={100}
        placeholder="None"
        hint="All its requests are counted under this name, even if they name another project."
      />
      <EndDateField value={expiresAt} onChange={(next) => onChange({ expiresAt: next })} />
      <Field
        label="Allowed models"
        className="sm:col-span-2"
        hint={
          allowedModels.length === 0
            ? 'Choose models, or type a pattern such as claude-*, to refuse all others.'
            : `Allows ${describeModels(allowed)}. All others are refused.`
        }
      >
        {({ id }) => (
          <>
            <ModelPatternPicker
              id={id}
              label="Allowed models"
              chosen={allowedModels}
              onChange={(next) => onChange({ allowedModels: next })}
            />
            {allowedModels.length < 2 ? null : (
              <ul className="flex flex-wrap gap-1.5 pt-1">
                {allowedModels.map((model) => (
                  <li
                    key={model}
                    className="flex h-7 max-w-full items-center rounded-md bg-sunken pl-2 font-mono text-sm"
                  >
                    <span className="truncate">{model}</span>
                    {model.includes('*') ? (
                      <span className="shrink-0 pl-2 font-sans text-ink-3">
                        {matchingModels(models, [model]).length}
                        <span className="sr-only"> models</span>
                      </span>
                    ) : null}
                    <IconButton
                      small
                      label={`Remove ${model}`}
                      icon={X}
                      onClick={() =>
                        onChange({ allowedModels: allowedModels.filter((one) => one !== model) })
                      }
                    />
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </Field>
    </>
  )
}

const DAY_MS = 86_400_000
const CHOICES = [
  { value: 'none', label: 'None' },
  { value: 'day', label: 'In 1 day' },
  { value: 'week', label: 'In 1 week' },
  { value: 'date', label: 'On a date' },
] as const
type Choice = (typeof CHOICES)[number]['value']

interface EndDateFieldProps {
  /** The date in ISO 8601; null for none. */
  value: string | null
  onChange: (value: string | null) => void
}

/** When a key ends. After a date is: at the end of that day. */
function EndDateField({ value, onChange }: EndDateFieldProps) {
  const [choice, setChoice] = useState<Choice>(value === null ? 'none' : 'date')
  const now = useNow()
  const zone = useTimeZone() ?? systemTimeZone()
  const isPast = value !== null && Date.parse(value) <= now
  const choose = (next: Choice) => {
    setChoice(next)
    if (next === 'none') onChange(null)
    else if (next === 'day') onChange(new Date(now + DAY_MS).toISOString())
    else onChange(new Date(now + 7 * DAY_MS).toISOString())
  }
  const setDay = (day: string) => {
    if (day !== '') onChange(new Date(dayStart(addDays(day, 1), zone)).toISOString())
  }
  return (
    <Field
      label="End date"
      hint={
        value === null
          ? 'The key works until you revoke it.'
          : isPast
            ? 'This key has expired. Requests with it are rejected.'
            : `The key works until ${formatMoment(value, zone).slice(0, -3)}. Then requests with it are rejected.`
      }
    >
      {({ id }) => (
        <div className="flex gap-2">
          <Select
            label="End date"
            id={id}
            value={choice}
            options={CHOICES}
            onChange={choose}
            className="min-w-0 flex-1"
          />
          {choice === 'date' && value !== null ? (
            <div className="w-36 shrink-0">
              <Input
                type="date"
                aria-label="Last day"
                value={dayName(Date.parse(value) - 1, zone)}
                min={dayName(now, zone)}
                onChange={(event) => setDay(event.target.value)}
              />
            </div>
          ) : null}
        </div>
      )}
    </Field>
  )
}
