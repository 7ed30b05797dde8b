import type { KeyMetadata } from '../../../shared/api/keys.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'

const OPTIONS = [
  { value: 'default', label: 'As in Settings', stored: null },
  { value: 'always', label: 'Always store', stored: true },
  { value: 'never', label: 'Never store', stored: false },
] as const

interface StoreBodiesFieldProps {
  value: KeyMetadata['storeBodies']
  onChange: (value: KeyMetadata['storeBodies']) => void
}

/** Whether the contents of a key's requests are stored. */
export function StoreBodiesField({ value, onChange }: StoreBodiesFieldProps) {
  const chosen = OPTIONS.find(({ stored }) => stored === value) ?? OPTIONS[0]
  return (
    <Field label="Prompts and answers">
      {({ id }) => (
        <Select
          label="Prompts and answers"
          id={id}
          options={OPTIONS}
          value={chosen.value}
          onChange={(next) => onChange(OPTIONS.find((option) => option.value === next)?.stored ?? null)}
        />
      )}
    </Field>
  )
}
