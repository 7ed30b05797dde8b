import type { Scope } from '../../../shared/keys.ts'
import type { Option } from '../../components/select.tsx'

export const scopeOptions: readonly Option<Scope>[] = [
  {
    value: 'completions-only',
    label: 'Completions only',
    hint: 'Calls models. Cannot read spend, requests or other keys. Right for most tools.',
  },
  { value: 'full', label: 'Full', hint: 'Calls models, and reads requests, usage and prices.' },
  { value: 'read-only', label: 'Read only', hint: 'Reads requests, usage and prices. Cannot spend.' },
  {
    value: 'admin',
    label: 'Admin',
    hint: 'Everything, including keys and providers. Do not use it in apps.',
  },
]

export function scopeLabel(scope: Scope): string {
  return scopeOptions.find(({ value }) => value === scope)?.label ?? scope
}
