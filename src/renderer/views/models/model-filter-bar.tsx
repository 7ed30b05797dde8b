import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import { SearchField } from '../../components/search-field.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { Select } from '../../components/select.tsx'
import { queries } from '../../server-state/queries.ts'
import type { ModelFilter } from './model-filter.ts'

const ANY = ' any '

export function ModelFilterBar({ filter, count }: { filter: ModelFilter; count: number }) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [, setSearch] = useSearchParams()
  const setParam = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '' || value === ANY) before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace: true },
    )
  return (
    <search className="flex flex-wrap items-center gap-2 border-line border-b px-4 py-2.5">
      <SearchField label="Search models" value={filter.text} onChange={(text) => setParam('q', text)} />
      <Select
        small
        label="Provider"
        value={filter.provider ?? ANY}
        options={[
          { value: ANY, label: 'All providers' },
          ...providers
            .filter(({ configured }) => configured)
            .map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(value) => setParam('provider', value)}
        className="max-w-44"
      />
      <Select
        small
        label="Capability"
        value={filter.capability ?? ANY}
        options={[
          { value: ANY, label: 'Any capability' },
          { value: 'vision', label: 'Vision' },
          { value: 'tools', label: 'Tools' },
          { value: 'json', label: 'JSON' },
          { value: 'reasoning', label: 'Reasoning' },
        ]}
        onChange={(value) => setParam('can', value)}
      />
      <SegmentedControl
        label="On or off"
        value={filter.state}
        options={[
          { value: 'all', label: 'All' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        onChange={(value) => setParam('state', value === 'all' ? '' : value)}
      />
      <span className="ml-auto text-ink-3 text-sm">{count === 1 ? '1 model' : `${count} models`}</span>
    </search>
  )
}
