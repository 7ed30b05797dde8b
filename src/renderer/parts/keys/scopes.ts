import type { Scope } from '../../../shared/api/keys.ts'
import type { Option } from '../../kit/select.tsx'

export const scopeOptions: readonly Option<Scope>[] = [
  {
    value: 'completions-only',
    label: 'Completions only',
    hint: 'Can call models only. Recommended for most tools.',
  },
  { value: 'full', label: 'Full', hint: 'Can call models, and read requests, usage and prices.' },
  { value: 'read-only', label: 'Read only', hint: 'Can read requests, usage and prices. Cannot spend.' },
  {
    value: 'telemetry-only',
    label: 'Telemetry only',
    hint: 'Can send the usage events of agents, and nothing else.',
  },
  {
    value: 'admin',
    label: 'Admin',
    hint: 'Everything, including keys and providers. Do not use it in apps.',
  },
]

export function scopeLabel(scope: Scope): string {
  return scopeOptions.find(({ value }) => value === scope)?.label ?? scope
}
