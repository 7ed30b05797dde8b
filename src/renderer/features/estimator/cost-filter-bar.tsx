import type { Capability } from '../../../shared/api/models.ts'
import { SearchField } from '../../kit/search-field.tsx'
import { Select } from '../../kit/select.tsx'
import type { CostFilter } from './model-costs.ts'

const CAPABILITIES: readonly [Capability, string][] = [
  ['vision', 'Vision'],
  ['tools', 'Tools'],
  ['reasoning', 'Reasoning'],
]

const CONTEXTS: readonly [number, string][] = [
  [0, 'Any context'],
  [32_000, '32k context or more'],
  [128_000, '128k context or more'],
  [200_000, '200k context or more'],
  [1_000_000, '1M context or more'],
]

interface CostFilterBarProps {
  filter: CostFilter
  count: number
  onChange: (filter: CostFilter) => void
}

export function CostFilterBar({ filter, count, onChange }: CostFilterBarProps) {
  const { capabilities } = filter
  const toggle = (capability: Capability, on: boolean) =>
    onChange({
      ...filter,
      capabilities: on ? [...capabilities, capability] : capabilities.filter((one) => one !== capability),
    })
  return (
    <search className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2.5">
      <SearchField
        label="Search models"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <Select
        small
        label="Context window"
        value={String(filter.context)}
        options={CONTEXTS.map(([tokens, label]) => ({ value: String(tokens), label }))}
        onChange={(tokens) => onChange({ ...filter, context: Number(tokens) })}
      />
      <fieldset className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <legend className="sr-only">Capabilities</legend>
        {CAPABILITIES.map(([capability, label]) => (
          <label key={capability} className="flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              className="size-3.5 accent-accent"
              checked={capabilities.includes(capability)}
              onChange={({ target }) => toggle(capability, target.checked)}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <span className="ml-auto text-ink-3 text-sm">{count === 1 ? '1 model' : `${count} models`}</span>
    </search>
  )
}
