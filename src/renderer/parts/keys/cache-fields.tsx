import { Field, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import type { KeyDraft } from './key-draft.ts'

const OFF = 'off'
const HOUR = 3_600
const DAY = 24 * HOUR

const LIVES = [
  { value: OFF, label: 'Off' },
  { value: String(HOUR), label: 'Repeat answers for an hour' },
  { value: String(DAY), label: 'Repeat answers for a day' },
  { value: String(7 * DAY), label: 'Repeat answers for a week' },
  { value: String(30 * DAY), label: 'Repeat answers for 30 days' },
]

interface CacheFieldsProps {
  draft: KeyDraft
  onChange: (part: Partial<KeyDraft>) => void
  error: string | null
}

/** The response cache of a key: how long answers are repeated, and their space. */
export function CacheFields({ draft: { cacheSeconds, cacheMb }, onChange, error }: CacheFieldsProps) {
  const value = cacheSeconds === null ? OFF : String(cacheSeconds)
  const isOther = LIVES.every((each) => each.value !== value)
  const options = isOther ? [...LIVES, { value, label: `Repeat answers for ${value} seconds` }] : LIVES
  return (
    <>
      <Field
        label="Response cache"
        className={cacheSeconds === null ? 'sm:col-span-2' : ''}
        hint="An equal request with temperature 0 and without tools gets the stored answer, at no cost. For tests and evaluations."
      >
        {({ id }) => (
          <Select
            label="Response cache"
            id={id}
            options={options}
            value={value}
            onChange={(next) => onChange({ cacheSeconds: next === OFF ? null : Number(next) })}
          />
        )}
      </Field>
      {cacheSeconds === null ? null : (
        <TextField
          label="Space for answers (MB)"
          inputMode="numeric"
          value={cacheMb}
          onChange={(text) => onChange({ cacheMb: text })}
          error={error}
          hint="Those unused for the longest time are deleted first."
        />
      )}
    </>
  )
}
