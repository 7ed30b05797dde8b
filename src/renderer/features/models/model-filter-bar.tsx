import { useQuery } from '@tanstack/react-query'
import { queries } from '../../data/queries.ts'
import { SearchField } from '../../kit/search-field.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { Select } from '../../kit/select.tsx'
import { useAddressParam } from '../../kit/use-address-param.ts'
import { countModels } from './count-models.ts'
import type { ModelFilter } from './model-filter.ts'

const ANY = ' any '

export function ModelFilterBar({ filter, count }: { filter: ModelFilter; count: number }) {
  const { data: providers = [] } = useQuery(queries.providers)
  const [, setText] = useAddressParam('q')
  const [, setProvider] = useAddressParam('provider')
  const [, setCapability] = useAddressParam('can')
  const [, setPrice] = useAddressParam('price')
  const [, setState] = useAddressParam('state')
  const orNull = (value: string) => (value === ANY ? null : value)
  return (
    <search className="flex flex-wrap items-center gap-2 border-line border-b px-4 py-2.5">
      <SearchField label="Search models" value={filter.text} onChange={(text) => setText(text || null)} />
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
        onChange={(value) => setProvider(orNull(value))}
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
        onChange={(value) => setCapability(orNull(value))}
      />
      <Select
        small
        label="Price"
        value={filter.price ?? ANY}
        options={[
          { value: ANY, label: 'Any price' },
          { value: 'none', label: 'No price' },
          { value: 'free', label: 'Free' },
          { value: 'own', label: 'Custom price' },
          { value: 'approximate', label: 'Approximate price' },
        ]}
        onChange={(value) => setPrice(orNull(value))}
      />
      <SegmentedControl
        label="On or off"
        value={filter.state}
        options={[
          { value: 'all', label: 'All' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        onChange={(value) => setState(value === 'all' ? null : value)}
      />
      <span className="ml-auto text-ink-3 text-sm">{countModels(count)}</span>
    </search>
  )
}
