import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEnabledModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import type { UsageFilter, UsageSplit } from '../../data/request-link.ts'
import { getToolName } from '../../data/tool-name.ts'
import { emptyUsage } from '../../data/usage.ts'
import { useProjects } from '../../data/use-projects.ts'
import { useSessionName } from '../../data/use-session-name.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { Select } from '../../kit/select.tsx'
import { ROWS, SPLITS, type UsageAddress } from './usage-address.ts'

/** The value of the option for no filter. Contains spaces, so it can never be an id. */
const ANY = ' any '

interface UsageFilterBarProps {
  address: UsageAddress
  onChange: (change: Partial<UsageAddress>) => void
}

export function UsageFilterBar({ address, onChange }: UsageFilterBarProps) {
  const { by, parts, filter } = address
  const options = useFilterOptions(filter)
  return (
    <search className="flex shrink-0 flex-wrap items-center justify-between gap-x-4 gap-y-2 overflow-hidden border-line border-b px-6 py-2.5 [scrollbar-gutter:stable] max-sm:px-4">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          small
          label="Rows by"
          value={by}
          options={ROWS.map(({ value, label }) => ({ value, label: `By ${label.toLowerCase()}` }))}
          onChange={(next) => onChange({ by: next })}
        />
        <Select
          small
          label="Parts by"
          value={parts}
          options={SPLITS.filter(({ value }) => value !== by).map(({ value, label }) => ({
            value,
            label: `then by ${label.toLowerCase()}`,
          }))}
          onChange={(next) => onChange({ parts: next })}
        />
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        {SPLITS.filter(({ value }) => value !== 'session' || filter.session).map(
          ({ value, label, plural }) => (
            <Select
              key={value}
              small
              label={label}
              value={filter[value] ?? ANY}
              options={[{ value: ANY, label: `All ${plural.toLowerCase()}` }, ...options[value]]}
              onChange={(next) => {
                const { [value]: _, ...others } = filter
                onChange({ filter: next === ANY ? others : { ...others, [value]: next } })
              }}
              className="max-w-40"
            />
          ),
        )}
        {Object.keys(filter).length > 0 ? (
          <IconButton small label="Clear filter" icon={X} onClick={() => onChange({ filter: {} })} />
        ) : null}
      </div>
    </search>
  )
}

interface FilterOption {
  value: string
  label: string
}

/** The options that exist, were used recently, or are chosen. */
function useFilterOptions(filter: UsageFilter): Record<UsageSplit, FilterOption[]> {
  const { data: keys = [] } = useQuery(queries.keys)
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const models = useEnabledModels()
  const projects = useProjects()
  const sessionName = useSessionName(filter.session)
  const modelIds = [...usage.models.map(({ group }) => group), ...models.map(({ id }) => id)].toSorted()
  const found: Record<UsageSplit, FilterOption[]> = {
    key: keys.map(({ id, name }) => ({ value: id, label: name })),
    model: modelIds.map((id) => ({ value: id, label: id })),
    provider: providers
      .filter(({ configured }) => configured)
      .map(({ id, name }) => ({ value: id, label: name })),
    client: usage.clients.map(({ group }) => ({ value: group, label: getToolName(group) })),
    tag: projects.map((tag) => ({ value: tag, label: tag })),
    // There are too many to choose from; one is chosen in their own view.
    session: filter.session && sessionName ? [{ value: filter.session, label: sessionName }] : [],
  }
  const complete = (split: UsageSplit) => {
    const chosen = filter[split]
    const all = [...found[split], ...(chosen ? [{ value: chosen, label: chosen }] : [])]
    return [...new Map(all.toReversed().map((one) => [one.value, one])).values()]
      .filter(({ value }) => value !== '')
      .toReversed()
  }
  return {
    key: complete('key'),
    model: complete('model'),
    provider: complete('provider'),
    client: complete('client'),
    tag: complete('tag'),
    session: complete('session'),
  }
}
