import { t } from 'ttag'
import { Field, TextField } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import type { KeyDraft } from './key-draft.ts'

const OFF = 'off'
const HOUR = 3_600
const DAY = 24 * HOUR

const LIVES = [
  { value: OFF, label: t`Off` },
  { value: String(HOUR), label: t`Repeat answers for an hour` },
  { value: String(DAY), label: t`Repeat answers for a day` },
  { value: String(7 * DAY), label: t`Repeat answers for a week` },
  { value: String(30 * DAY), label: t`Repeat answers for 30 days` },
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
  const options = isOther ? [...LIVES, { value, label: t`Repeat answers for ${value} seconds` }] : LIVES
  return (
    <>
      <Field
        label={t`Response cache`}
        className={cacheSeconds === null ? 'sm:col-span-2' : ''}
        hint={t`An equal request with temperature 0 and without tools gets the stored answer, at no cost. For tests and evaluations.`}
      >
        {({ id }) => (
          <Select
            label={t`Response cache`}
            id={id}
            options={options}
            value={value}
            onChange={(next) => onChange({ cacheSeconds: next === OFF ? null : Number(next) })}
          />
        )}
      </Field>
      {cacheSeconds === null ? null : (
        <TextField
          label={t`Space for answers (MB)`}
          inputMode="numeric"
          value={cacheMb}
          onChange={(text) => onChange({ cacheMb: text })}
          error={error}
          hint={t`Those unused for the longest time are deleted first.`}
        />
      )}
    </>
  )
}
