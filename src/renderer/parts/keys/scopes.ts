import { t } from 'ttag'
import type { Scope } from '../../../shared/api/keys.ts'
import type { Option } from '../../kit/select.tsx'

export const scopeOptions: readonly Option<Scope>[] = [
  {
    value: 'completions-only',
    label: t`Completions only`,
    hint: t`Can call models only. Recommended for most tools.`,
  },
  { value: 'full', label: t`Full`, hint: t`Can call models, and read requests, usage and prices.` },
  { value: 'read-only', label: t`Read only`, hint: t`Can read requests, usage and prices. Cannot spend.` },
  {
    value: 'admin',
    label: t`Admin`,
    hint: t`Everything, including keys and providers. Do not use it in apps.`,
  },
]

export function scopeLabel(scope: Scope): string {
  return scopeOptions.find(({ value }) => value === scope)?.label ?? scope
}
