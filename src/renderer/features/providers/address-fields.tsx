import type { ProviderRecord } from '../../../shared/api/providers.ts'
import { TextField } from '../../kit/field.tsx'
import type { FormErrors, ProviderForm } from './provider-form.ts'

interface AddressFieldsProps {
  provider: ProviderRecord | null
  /** Null where the base URL is entered itself. */
  values: ProviderForm['address']
  errors: FormErrors['address']
  onChange: (address: ProviderForm['address']) => void
}

/** The names that the base URL of a new provider is made of, such as a region. */
export function AddressFields({ provider, values, errors, onChange }: AddressFieldsProps) {
  if (values === null) return null
  return provider?.address?.fields.map(({ name, label, hint, example }, index) => (
    <TextField
      key={name}
      label={label}
      mono
      autoFocus={index === 0}
      value={values[name] ?? ''}
      error={errors?.[name]}
      onChange={(value) => onChange({ ...values, [name]: value })}
      placeholder={example}
      hint={hint}
    />
  ))
}
