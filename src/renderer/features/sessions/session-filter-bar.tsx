import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { queries } from '../../data/queries.ts'
import { noSessionFilter, type SessionFilter } from '../../data/session-list.ts'
import { getToolName } from '../../data/tool-name.ts'
import { emptyUsage } from '../../data/usage.ts'
import { useProjects } from '../../data/use-projects.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { type Option, Select } from '../../kit/select.tsx'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { isFiltered } from './session-address.ts'

/** The value of the option for no filter. Contains spaces, so it can never be an id. */
const ANY = ' any '

interface SessionFilterBarProps {
  filter: SessionFilter
  onChange: (filter: SessionFilter) => void
}

export function SessionFilterBar({ filter, onChange }: SessionFilterBarProps) {
  const { data: keys = [] } = useQuery(queries.keys)
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const projects = useProjects()
  const fields: { name: 'key' | 'client' | 'tag'; label: string; any: string; options: Option<string>[] }[] =
    [
      {
        name: 'key',
        label: 'Key',
        any: 'All keys',
        options: keys.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        name: 'client',
        label: 'Tool',
        any: 'All tools',
        options: usage.clients
          .filter(({ group }) => group !== '')
          .map(({ group }) => ({ value: group, label: getToolName(group) })),
      },
      {
        name: 'tag',
        label: 'Project',
        any: 'All projects',
        options: projects.map((tag) => ({ value: tag, label: tag })),
      },
    ]
  return (
    <search className="flex shrink-0 flex-wrap items-center gap-2 overflow-hidden border-line border-b px-6 py-2.5 [scrollbar-gutter:stable] max-sm:px-4">
      <DateRangePicker small range={filter.range} onChange={(range) => onChange({ ...filter, range })} />
      {fields.map(({ name, label, any, options }) => (
        <Select
          key={name}
          small
          label={label}
          value={filter[name] ?? ANY}
          options={withChosen([{ value: ANY, label: any }, ...options], filter[name] ?? ANY)}
          onChange={(value) => onChange({ ...filter, [name]: value === ANY ? null : value })}
          className="min-w-20 max-w-40"
        />
      ))}
      {isFiltered(filter) ? (
        <IconButton
          small
          label="Clear filter"
          icon={X}
          onClick={() => onChange({ ...filter, ...noSessionFilter })}
        />
      ) : null}
    </search>
  )
}

/** The chosen option may no longer exist. */
function withChosen(options: Option<string>[], chosen: string): Option<string>[] {
  return options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }]
}
