import { countFilters, filterToSearch, noFilter, type RequestFilter } from '../../data/request-filter.ts'
import { FilterBar, FilterSelect, FoldedFilters } from '../../kit/filter-bar.tsx'
import { formatUsd } from '../../kit/format.ts'
import { PausedSearchField } from '../../kit/search-field.tsx'
import { FilterFields } from '../../parts/filters/filter-fields.tsx'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { statusOptions } from '../../parts/requests/status.tsx'

interface RequestFilterProps {
  filter: RequestFilter
  onChange: (filter: RequestFilter) => void
}

export function RequestFilterBar({ filter, onChange }: RequestFilterProps) {
  return (
    <FilterBar onClear={filterToSearch(filter) ? () => onChange(noFilter) : null}>
      <PausedSearchField
        label="Search requests"
        placeholder="Search"
        value={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <DateRangePicker
        small
        range={filter.range}
        onChange={(range) => onChange({ ...filter, range })}
        onClear={() => onChange({ ...filter, range: null })}
      />
      <FoldedFilters
        count={countFilters(filter)}
        onClear={() => onChange({ ...noFilter, range: filter.range, text: filter.text })}
      >
        {(fieldClass) => <Selects filter={filter} onChange={onChange} className={fieldClass} />}
      </FoldedFilters>
    </FilterBar>
  )
}

function Selects({ filter, onChange, className }: RequestFilterProps & { className: string }) {
  return (
    <>
      <FilterFields
        names={['key', 'model', 'provider', 'client', 'tag', 'session']}
        filter={filter}
        onChange={(name, value) => onChange({ ...filter, [name]: value })}
        blanks
        className={className}
      />
      <FilterSelect
        label="Status"
        any="Any status"
        options={statusOptions}
        value={filter.status}
        onChange={(status) => onChange({ ...filter, status })}
        className={className}
      />
      {filter.batch === null ? null : (
        <FilterSelect
          label="Batch"
          any="Any batch"
          options={[{ value: '', label: 'No batch' }]}
          value={filter.batch}
          onChange={(batch) => onChange({ ...filter, batch })}
          className={className}
        />
      )}
      <FilterSelect
        label="Cost"
        any="Any cost"
        options={costOptions}
        value={findCost(filter)}
        onChange={(value) =>
          onChange({ ...filter, ...anyCost, ...costs.find((cost) => cost.value === value)?.part })
        }
        className={className}
      />
    </>
  )
}

const anyCost = { minCostUsd: null, maxCostUsd: null, costStatus: null, held: null }

type CostFilter = Pick<RequestFilter, keyof typeof anyCost>

/** What costs are looked for by. The address can have other bounds, too. */
const costs: readonly { value: string; label: string; part: Partial<CostFilter> }[] = [
  ...[0.01, 0.1, 1].map((usd) => ({
    value: `${usd}`,
    label: `≥ ${formatUsd(usd)}`,
    part: { minCostUsd: usd },
  })),
  { value: 'unsettled', label: 'Unsettled', part: { costStatus: 'unsettled' } },
  { value: 'held', label: 'Held', part: { held: 'true' } },
  { value: 'unknown', label: 'Unknown price', part: { costStatus: 'unknown' } },
  { value: 'plan', label: 'Paid by a plan', part: { costStatus: 'plan' } },
  { value: 'cached', label: 'From the response cache', part: { costStatus: 'cached' } },
]
const costOptions = costs.map(({ value, label }) => ({ value, label }))

/** The chosen option; null for any cost. */
function findCost(filter: RequestFilter): string | null {
  const names = Object.keys(anyCost) as (keyof CostFilter)[]
  const isSame = (part: Partial<CostFilter>) => names.every((name) => filter[name] === (part[name] ?? null))
  return isSame({}) ? null : (costs.find(({ part }) => isSame(part))?.value ?? 'Other costs')
}
