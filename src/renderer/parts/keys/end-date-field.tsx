import { useState } from 'react'
import { dayName, dayStart, systemTimeZone } from '../../../shared/values/calendar.ts'
import { addDays } from '../../data/calendar-days.ts'
import { useTimeZone } from '../../data/hooks.ts'
import { Field, Input } from '../../kit/field.tsx'
import { formatMoment } from '../../kit/format.ts'
import { Select } from '../../kit/select.tsx'
import { useNow } from '../../kit/use-now.ts'

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
export function EndDateField({ value, onChange }: EndDateFieldProps) {
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
            ? 'The key has ended. Requests with it are rejected.'
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
