import { useQuery } from '@tanstack/react-query'
import { REQUEST_STATUSES } from '../../../shared/api/terms.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import type { RequestFilter } from '../../data/request-filter.ts'
import { emptyUsage } from '../../data/usage.ts'
import { useProjects } from '../../data/use-projects.ts'
import { useSessionName } from '../../data/use-session-name.ts'
import { type Option, Select } from '../../kit/select.tsx'
import { statusOptions } from '../../parts/requests/status.tsx'
import { CostFilterMenu } from './cost-filter-menu.tsx'

/** The value of the option for no filter. Contains spaces, so it can never be an id. */
const ANY = ' any '
/** The value for requests without a client: a select cannot have an empty one. */
const NONE = ' none '

interface FilterSelectsProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
  selectClassName: string
}

export function FilterSelects({ filter, onChange, selectClassName }: FilterSelectsProps) {
  return (
    <>
      {useFilterFields(filter).map(({ name, label, any, options }) => (
        <Select
          key={name}
          small
          label={label}
          value={toOption(filter[name])}
          options={withChosen([{ value: ANY, label: any }, ...options], toOption(filter[name]))}
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

type FieldName = 'key' | 'model' | 'provider' | 'client' | 'tag' | 'session' | 'status'

interface FilterField {
  name: FieldName
  label: string
  /** The option that removes the filter. */
  any: string
  options: Option<string>[]
}

function useFilterFields(filter: RequestFilter): FilterField[] {
  const { data: keys = [] } = useQuery(queries.keys)
  const models = useEnabledModels()
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const { data: providers = [] } = useQuery(queries.providers)
  const projects = useProjects()
  const sessionName = useSessionName(filter.session)
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
    {
      name: 'client',
      label: 'Client',
      any: 'All clients',
      options: usage.clients.map(({ group }) =>
        group === '' ? { value: NONE, label: 'No client name' } : same(group),
      ),
    },
    ...(projects.length === 0 && filter.tag === null
      ? []
      : [
          {
            ...{ name: 'tag' as const, label: 'Project', any: 'All projects' },
            options: [...projects.map(same), { value: NONE, label: 'No project' }],
          },
        ]),
    // There are too many to choose from; one is chosen in the view of sessions.
    ...(filter.session === null
      ? []
      : [
          {
            ...{ name: 'session' as const, label: 'Session', any: 'All sessions' },
            options: [{ value: filter.session, label: sessionName ?? 'One session' }],
          },
        ]),
    { name: 'status', label: 'Status', any: 'Any status', options: statusOptions },
  ]
}

function applyChoice(filter: RequestFilter, name: FieldName, value: string): RequestFilter {
  if (name === 'status') {
    return { ...filter, status: REQUEST_STATUSES.find((status) => status === value) ?? null }
  }
  return { ...filter, [name]: value === ANY ? null : value === NONE ? '' : value }
}

function toOption(chosen: string | null): string {
  return chosen === null ? ANY : chosen || NONE
}

/** The chosen option may no longer exist. */
function withChosen(options: Option<string>[], chosen: string): Option<string>[] {
  return options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen === NONE ? 'None' : chosen }]
}
