import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../data/api.ts'
import { useEnabledModels } from '../../data/hooks.ts'
import { queries } from '../../data/queries.ts'
import { volatileQuery } from '../../data/query-client.ts'
import type { FilterName } from '../../data/request-link.ts'
import { getToolName } from '../../data/session-name.ts'
import { emptyUsage } from '../../data/usage.ts'
import { labelBranch, useBranches } from '../../data/usage-label.ts'
import { useSessionName } from '../../data/use-session-name.ts'
import { FilterBar, FilterSelect, FoldedFilters } from '../../kit/filter-bar.tsx'
import type { Option } from '../../kit/select.tsx'

type Filter<Name extends FilterName> = Partial<Record<Name, string | null>>

interface FilterFieldsProps<Name extends FilterName> {
  names: readonly Name[]
  filter: Filter<Name>
  onChange: (name: Name, value: string | null) => void
  /** Requests without a tool or project can be chosen. */
  blanks?: boolean
  className?: string
}

/** What the requests of a list have in common, each with what exists, was used recently, or is chosen. */
export function FilterFields<Name extends FilterName>(props: FilterFieldsProps<Name>) {
  const { names, filter, onChange, blanks = false, ...rest } = props
  const options = useOptions(filter, names)
  return names.map((name) => {
    const value = filter[name] ?? null
    if (options[name].length === 0 && value === null) return null
    const { label, any, blank } = fields[name]
    return (
      <FilterSelect
        key={name}
        label={label}
        any={any}
        options={blanks && blank ? [...options[name], { value: '', label: blank }] : options[name]}
        value={value}
        onChange={(next) => onChange(name, next)}
        {...rest}
      />
    )
  })
}

interface SplitFilterBarProps<Name extends FilterName> {
  look: 'page' | 'plain'
  names: readonly Name[]
  filter: Partial<Record<Name, string>>
  onChange: (filter: Partial<Record<Name, string>>) => void
  /** The choice of what is shown, before the filter. */
  children?: ReactNode
}

/** A filter bar with nothing but these filters. */
export function SplitFilterBar<Name extends FilterName>(props: SplitFilterBarProps<Name>) {
  const { look, names, filter, onChange, children } = props
  const fieldProps = {
    names,
    filter,
    onChange: (name: Name, value: string | null) => {
      const { [name]: _, ...others } = filter
      onChange(value === null ? (others as typeof filter) : { ...filter, [name]: value })
    },
  }
  return (
    <FilterBar look={look} onClear={Object.keys(filter).length > 0 ? () => onChange({}) : null}>
      {children}
      {look === 'page' ? (
        <FoldedFilters count={Object.keys(filter).length} onClear={() => onChange({})}>
          {(className) => <FilterFields {...fieldProps} className={className} />}
        </FoldedFilters>
      ) : (
        <div className="flex min-w-0 flex-wrap items-center gap-2">
          <FilterFields {...fieldProps} />
        </div>
      )}
    </FilterBar>
  )
}

const fields: Readonly<Record<FilterName, { label: string; any: string; blank?: string }>> = {
  key: { label: 'Key', any: 'All keys' },
  model: { label: 'Model', any: 'All models' },
  provider: { label: 'Provider', any: 'All providers' },
  client: { label: 'Tool', any: 'All tools', blank: 'No tool name' },
  tag: { label: 'Project', any: 'All projects', blank: 'No project' },
  session: { label: 'Session', any: 'All sessions' },
  branch: { label: 'Branch', any: 'All branches' },
}

function useOptions(
  { session, branch }: Filter<FilterName>,
  names: readonly FilterName[],
): Record<FilterName, Option<string>[]> {
  const { data: keys = [] } = useQuery(queries.keys)
  const { data: providers = [] } = useQuery(queries.providers)
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const models = useEnabledModels()
  const projects = useProjects()
  const recent = useBranches(names.includes('branch'))
  const branches = branch && !recent.includes(branch) ? [branch, ...recent] : recent
  const sessionName = useSessionName(session)
  const named = ({ id, name }: { id: string; name: string }) => ({ value: id, label: name })
  const same = (value: string) => ({ value, label: value })
  const modelIds = new Set([...usage.models.map(({ group }) => group), ...models.map(({ id }) => id)])
  return {
    key: keys.map(named),
    model: [...modelIds].filter(Boolean).toSorted().map(same),
    provider: providers.filter(({ configured }) => configured).map(named),
    client: usage.clients
      .filter(({ group }) => group !== '')
      .map(({ group }) => ({ value: group, label: getToolName(group) })),
    tag: projects.map(same),
    // There are too many to choose from; one is chosen in their own view.
    branch: branches.map((value) => ({ value, label: labelBranch(value) })),
    session: session ? [{ value: session, label: sessionName ?? 'One session' }] : [],
  }
}

const RECENT_MS = 90 * 86_400_000
const noTags: string[] = []

/** The projects of the requests of the last 90 days, the most expensive first. */
const usedProjects = volatileQuery(['projects'], async () => {
  const from = new Date(Date.now() - RECENT_MS).toISOString()
  const { data } = await api('getUsage', { query: { groupBy: 'tag', from } })
  return data.map(({ group }) => group).filter((tag) => tag !== '')
})

/** The projects (tags) that can be chosen in a filter. */
function useProjects(): string[] {
  const { data: used = noTags } = useQuery(usedProjects)
  const { data: keys = [] } = useQuery(queries.keys)
  return [...new Set([...used, ...keys.flatMap(({ tag }) => tag ?? [])])]
}
