import type { Network } from '../../../shared/api/network.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'

const OPTIONS = [
  { value: 'settings', label: 'As in Settings' },
  { value: 'direct', label: 'Direct, without a proxy' },
  { value: 'system', label: 'This computer’s proxy and certificates' },
] as const

interface NetworkChoiceProps {
  /** Null: as in the settings. */
  value: Network | null
  onChange: (network: Network | null) => void
}

export function NetworkChoice({ value, onChange }: NetworkChoiceProps) {
  return (
    <Field label="Network" hint="How the provider is reached, if that differs from the others.">
      {({ id }) => (
        <Select
          id={id}
          label="Network"
          options={OPTIONS}
          value={value ?? 'settings'}
          onChange={(chosen) => onChange(chosen === 'settings' ? null : chosen)}
        />
      )}
    </Field>
  )
}
