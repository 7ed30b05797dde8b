import type { KeyGuard } from '../../../shared/api/keys.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'

const OPTIONS = [
  { value: 'on', label: 'Watches this key' },
  { value: 'allow-repeats', label: 'Allows equal prompts' },
  { value: 'off', label: 'Ignores this key' },
] as const satisfies { value: KeyGuard; label: string }[]

/** The triggers of a key's runaway guard. */
export function GuardField({ value, onChange }: { value: KeyGuard; onChange: (value: KeyGuard) => void }) {
  return (
    <Field label="Runaway guard">
      {({ id }) => (
        <Select label="Runaway guard" id={id} options={OPTIONS} value={value} onChange={onChange} />
      )}
    </Field>
  )
}
