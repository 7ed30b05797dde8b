import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { queries } from '../../../data/queries.ts'
import { getToolName } from '../../../data/tool-name.ts'
import { emptyUsage } from '../../../data/usage.ts'
import { useProjects } from '../../../data/use-projects.ts'
import { IconButton } from '../../../kit/icon-button.tsx'
import { Select } from '../../../kit/select.tsx'
import { REPRICING_FILTERS, type RepricingFilter } from '../../../parts/replay/use-repricing.ts'

/** The value of the option for no filter. Contains spaces, so it can never be an id. */
const ANY = ' any '

const LABELS: Readonly<Record<(typeof REPRICING_FILTERS)[number], readonly [label: string, all: string]>> = {
  key: ['Key', 'All keys'],
  client: ['Tool', 'All tools'],
  model: ['Model used', 'All models'],
  tag: ['Project', 'All projects'],
}

interface RepricingFilterBarProps {
  filter: RepricingFilter
  onChange: (filter: RepricingFilter) => void
}

export function RepricingFilterBar({ filter, onChange }: RepricingFilterBarProps) {
  const options = useOptions(filter)
  return (
    <search className="flex flex-wrap items-center gap-2">
      {REPRICING_FILTERS.map((name) =>
        options[name].length === 0 ? null : (
          <Select
            key={name}
            small
            label={LABELS[name][0]}
            value={filter[name] ?? ANY}
            options={[{ value: ANY, label: LABELS[name][1] }, ...options[name]]}
            onChange={(value) => {
              const { [name]: _, ...others } = filter
              onChange(value === ANY ? others : { ...others, [name]: value })
            }}
            className="max-w-44"
          />
        ),
      )}
      {Object.keys(filter).length > 0 ? (
        <IconButton small label="Clear filter" icon={X} onClick={() => onChange({})} />
      ) : null}
    </search>
  )
}

interface Option {
  value: string
  label: string
}

/** The options that exist, were used recently, or are chosen. */
function useOptions(filter: RepricingFilter) {
  const { data: keys = [] } = useQuery(queries.keys)
  const { data: usage = emptyUsage } = useQuery(queries.usage)
  const projects = useProjects()
  const withChosen = (options: Option[], chosen: string | undefined): Option[] =>
    chosen === undefined || chosen === '' || options.some(({ value }) => value === chosen)
      ? options
      : [...options, { value: chosen, label: chosen }]
  return {
    key: withChosen(
      keys.map(({ id, name }) => ({ value: id, label: name })),
      filter.key,
    ),
    client: withChosen(
      usage.clients
        .filter(({ group }) => group !== '')
        .map(({ group }) => ({ value: group, label: getToolName(group) })),
      filter.client,
    ),
    model: withChosen(
      usage.models.map(({ group }) => ({ value: group, label: group })),
      filter.model,
    ),
    tag: withChosen(
      projects.map((tag) => ({ value: tag, label: tag })),
      filter.tag,
    ),
  }
}
