import { useQuery } from '@tanstack/react-query'
import { Search, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { REQUEST_STATUSES } from '../../../shared/requests.ts'
import { IconButton } from '../../components/button.tsx'
import { type Option, Select } from '../../components/select.tsx'
import { useEnabledModels } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import { filterToSearch, noFilter, type RequestFilter } from '../../server-state/request-filter.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { CostFilterMenu } from './cost-filter-menu.tsx'
import { statusOptions } from './status.tsx'

const PAUSE_MS = 250
/** The value of the option for no filter. No id can be this, as it has spaces. */
const ANY = ' any '

interface FilterBarProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
}

export function FilterBar({ filter, onChange }: FilterBarProps) {
  const { data: keys = [] } = useQuery(queries.keys)
  const models = useEnabledModels()
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const { data: providers = [] } = useQuery(queries.providers)
  const [text, setText] = useState(filter.text)
  const latest = useRef({ filter, onChange })
  useEffect(() => {
    latest.current = { filter, onChange }
  })

  useEffect(() => setText(filter.text), [filter.text])
  useEffect(() => {
    const timer = setTimeout(() => {
      const now = latest.current
      if (text.trim() !== now.filter.text.trim()) now.onChange({ ...now.filter, text })
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])

  const modelIds = [
    ...new Set([...usage.models.map(({ group }) => group), ...models.map(({ id }) => id)]),
  ].toSorted()
  const pick = (name: 'key' | 'model' | 'provider') => (value: string) =>
    onChange({ ...filter, [name]: value === ANY ? null : value })
  const options = (any: string, list: Option<string>[], chosen: string | null): Option<string>[] => [
    { value: ANY, label: any },
    ...list,
    ...(chosen && !list.some(({ value }) => value === chosen) ? [{ value: chosen, label: chosen }] : []),
  ]

  return (
    // One line at any width: the selects shrink, then the line scrolls.
    <search className="flex shrink-0 items-center gap-2 overflow-x-auto border-line border-b px-6 py-2.5">
      <div className="relative min-w-28 max-w-72 flex-1">
        <Search size={13} aria-hidden className="absolute top-[7px] left-2 text-ink-3" />
        <input
          type="search"
          aria-label="Search requests"
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-7 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 text-sm placeholder:text-ink-3"
        />
      </div>
      <Select
        small
        label="Key"
        value={filter.key ?? ANY}
        options={options(
          'All keys',
          keys.map(({ id, name }) => ({ value: id, label: name })),
          filter.key,
        )}
        onChange={pick('key')}
        className="min-w-22 max-w-40"
      />
      <Select
        small
        label="Model"
        value={filter.model ?? ANY}
        options={options(
          'All models',
          modelIds.map((id) => ({ value: id, label: id })),
          filter.model,
        )}
        onChange={pick('model')}
        className="min-w-22 max-w-40"
      />
      <Select
        small
        label="Provider"
        value={filter.provider ?? ANY}
        options={options(
          'All providers',
          providers
            .filter(({ configured }) => configured)
            .map(({ id, name }) => ({ value: id, label: name })),
          filter.provider,
        )}
        onChange={pick('provider')}
        className="min-w-22 max-w-40"
      />
      <Select
        small
        label="Status"
        value={filter.status ?? ANY}
        options={[{ value: ANY, label: 'Any status' }, ...statusOptions]}
        onChange={(value) =>
          onChange({ ...filter, status: REQUEST_STATUSES.find((one) => one === value) ?? null })
        }
        className="min-w-22"
      />
      <CostFilterMenu
        chosen={filter}
        onChange={(cost) => onChange({ ...filter, ...cost })}
        className="min-w-22 max-w-40"
      />
      {filterToSearch(filter) ? (
        <IconButton small label="Clear filter" icon={X} onClick={() => onChange(noFilter)} />
      ) : null}
    </search>
  )
}
