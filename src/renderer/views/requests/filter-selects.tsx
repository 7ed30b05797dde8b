import { useQuery } from '@tanstack/react-query'
import { REQUEST_STATUSES } from '../../../shared/requests.ts'
import { type Option, Select } from '../../components/select.tsx'
import { useEnabledModels } from '../../server-state/hooks.ts'
import { queries } from '../../server-state/queries.ts'
import type { RequestFilter } from '../../server-state/request-filter.ts'
import { emptyUsage } from '../../server-state/usage.ts'
import { CostFilterMenu } from './cost-filter-menu.tsx'
import { statusOptions } from './status.tsx'

/** The value of the option for no filter. No id can be this, as it has spaces. */
const ANY = ' any '

interface FilterSelectsProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
  selectClassName: string
}

export function FilterSelects({ filter, onChange, selectClassName }: FilterSelectsProps) {
  return (
    <>
      {useFilterFields().map(({ name, label, any, options }) => (
        <Select
          key={name}
          small
          label={label}
          value={filter[name] ?? ANY}
          options={withChosen([{ value: ANY, label: any }, ...options], filter[name])}
          onChange={(value) => onChange(applyChoice(filter, name, value))}
          className={selectClassName}
        />
      ))}
      <CostFilterMenu
        chosen={filter}
        onChange={(cost) => onChange({ ...filter, ...cost })}
        className={selectClassName}
      />
    </>
  )
}

type FieldName = 'key' | 'model' | 'provider' | 'status'

interface FilterField {
  name: FieldName
  label: string
  /** The option that removes the filter. */
  any: string
  options: Option<string>[]
}

function useFilterFields(): FilterField[] {
  const { data: keys = [] } = useQuery(queries.keys)
  const models = useEnabledModels()
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const { data: providers = [] } = useQuery(queries.providers)
  const modelIds = new Set([...usage.models.map(({ group }) => group), ...models.map(({ id }) => id)])
  const named = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name })
  const same = (value: string) => ({ value, label: value })
  return [
    { name: 'key', label: 'Key', any: 'All keys', options: keys.map(named) },
    { name: 'model', label: 'Model', any: 'All models', options: [...modelIds].toSorted().map(same) },
    {
      name: 'provider',
      label: 'Provider',
      any: 'All providers',
      options: providers.filter(({ configured }) => configured).map(named),
    },
    { name: 'status', label: 'Status', any: 'Any status', options: statusOptions },
  ]
}

function applyChoice(filter: RequestFilter, name: FieldName, value: string): RequestFilter {
  if (name === 'status') {
    return { ...filter, status: REQUEST_STATUSES.find((status) => status === value) ?? null }
  }
  return { ...filter, [name]: value === ANY ? null : value }
}

/** What the address names may no longer exist. */
function withChosen(options: Option<string>[], chosen: string | null): Option<string>[] {
  const known = chosen === null || options.some(({ value }) => value === chosen)
  return known ? options : [...options, { value: chosen, label: chosen }]
}
