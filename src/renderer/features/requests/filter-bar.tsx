import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type FormEvent, useState } from 'react'
import type { CostStatus } from '../../../shared/api/requests.ts'
import { countFilters, filterToSearch, noFilter, type RequestFilter } from '../../data/request-filter.ts'
import { Button } from '../../kit/button.tsx'
import { cn } from '../../kit/cn.ts'
import { TextField } from '../../kit/field.tsx'
import { FilterBar, FilterSelect, FoldedFilters } from '../../kit/filter-bar.tsx'
import { formatUsd } from '../../kit/format.ts'
import { formatInput, parseUsd } from '../../kit/number-input.ts'
import { PopoverPanel } from '../../kit/popover-panel.tsx'
import { moveFocus } from '../../kit/row-focus.ts'
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
      <CostFilterMenu
        chosen={filter}
        onChange={(cost) => onChange({ ...filter, ...cost })}
        className={className}
      />
    </>
  )
}

interface CostFilterProps {
  chosen: CostFilter
  onChange: (chosen: CostFilter) => void
  className?: string
}

function CostFilterMenu({ chosen, onChange, className }: CostFilterProps) {
  const [open, setOpen] = useState(false)
  const choose = (next: CostFilter) => {
    onChange(next)
    setOpen(false)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button
          type="button"
          aria-label={`Cost: ${formatCostFilter(chosen)}`}
          className={cn(
            'inline-flex h-7 min-w-0 items-center justify-between gap-1.5 rounded-md border border-line-strong bg-surface px-2 text-ink text-sm hover:bg-sunken',
            className,
          )}
        >
          <span className="truncate">{formatCostFilter(chosen)}</span>
          <ChevronDown size={14} aria-hidden className="shrink-0 text-ink-3" />
        </button>
      </Popover.Trigger>
      <PopoverPanel
        align="start"
        aria-label="Cost"
        className="max-h-(--radix-popover-content-available-height) w-64 overflow-y-auto p-1"
      >
        <QuickChoices chosen={chosen} onChoose={choose} />
        <Bounds chosen={chosen} onChoose={choose} />
      </PopoverPanel>
    </Popover.Root>
  )
}

interface ChoosingProps {
  chosen: CostFilter
  onChoose: (chosen: CostFilter) => void
}

function QuickChoices({ chosen, onChoose }: ChoosingProps) {
  return (
    <ul onKeyDown={(event) => moveFocus(event, 'button')}>
      {[anyCost, ...quickCosts].map((choice) => {
        const on = isSameCost(choice, chosen)
        return (
          <li key={formatCostFilter(choice)}>
            <button
              type="button"
              aria-pressed={on}
              onClick={() => onChoose(choice)}
              className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left -outline-offset-2 hover:bg-sunken focus-visible:bg-sunken"
            >
              <Check size={13} aria-hidden className={on ? 'shrink-0' : 'invisible shrink-0'} />
              {formatCostFilter(choice)}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

function Bounds({ chosen, onChoose }: ChoosingProps) {
  const [min, setMin] = useState(formatInput(chosen.minCostUsd))
  const [max, setMax] = useState(formatInput(chosen.maxCostUsd))
  const { minError, maxError, ...bounds } = parseBounds(min, max)
  const good = minError === null && maxError === null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (good) onChoose({ ...anyCost, ...bounds })
  }
  return (
    <form onSubmit={submit} className="mt-1 flex flex-col gap-2.5 border-line border-t p-2 pt-2.5">
      <div className="grid grid-cols-2 items-start gap-2">
        <TextField
          label="From, USD"
          inputMode="decimal"
          placeholder="0.00"
          value={min}
          onChange={setMin}
          error={minError}
        />
        <TextField
          label="To, USD"
          inputMode="decimal"
          placeholder="No limit"
          value={max}
          onChange={setMax}
          error={maxError}
        />
      </div>
      <Button type="submit" small disabled={!good}>
        Apply
      </Button>
    </form>
  )
}

type CostFilter = Pick<RequestFilter, 'minCostUsd' | 'maxCostUsd' | 'costStatus' | 'held'>

export const anyCost: CostFilter = { minCostUsd: null, maxCostUsd: null, costStatus: null, held: null }

const statusNames: Record<CostStatus, string> = {
  pending: 'Not settled yet',
  exact: 'Exact cost',
  estimated: 'Estimated',
  unsettled: 'Unsettled',
  confirmed: 'Confirmed',
  unknown: 'Unknown price',
  free: 'Free',
  plan: 'Paid by a plan',
  cached: 'From the response cache',
}

export const quickCosts: readonly CostFilter[] = [
  { ...anyCost, minCostUsd: 0.01 },
  { ...anyCost, minCostUsd: 0.1 },
  { ...anyCost, minCostUsd: 1 },
  { ...anyCost, costStatus: 'unsettled' },
  { ...anyCost, held: 'true' },
  { ...anyCost, costStatus: 'unknown' },
  { ...anyCost, costStatus: 'plan' },
  { ...anyCost, costStatus: 'cached' },
]

export function isSameCost(one: CostFilter, other: CostFilter): boolean {
  return (
    one.minCostUsd === other.minCostUsd &&
    one.maxCostUsd === other.maxCostUsd &&
    one.costStatus === other.costStatus &&
    one.held === other.held
  )
}

/** The label of a cost filter, such as "Any cost", "≥ $0.10", "$0.10 – $1.00" or "Held, ≥ $0.10". */
export function formatCostFilter({ minCostUsd, maxCostUsd, costStatus, held }: CostFilter): string {
  const parts = [
    costStatus && statusNames[costStatus],
    held && 'Held',
    formatBounds(minCostUsd, maxCostUsd),
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'Any cost' : parts.join(', ')
}

function formatBounds(min: number | null, max: number | null): string | null {
  if (min !== null && max !== null) return `${formatUsd(min)} – ${formatUsd(max)}`
  if (min !== null) return `≥ ${formatUsd(min)}`
  return max === null ? null : `≤ ${formatUsd(max)}`
}

interface ParsedBounds {
  minCostUsd: number | null
  maxCostUsd: number | null
  /** The error of each field; both null when the bounds are valid. */
  minError: string | null
  maxError: string | null
}

export function parseBounds(minText: string, maxText: string): ParsedBounds {
  const min = parseUsd(minText)
  const max = parseUsd(maxText)
  const minCostUsd = min.ok ? min.usd : null
  const maxCostUsd = max.ok ? max.usd : null
  const crossed = minCostUsd !== null && maxCostUsd !== null && minCostUsd > maxCostUsd
  return {
    minCostUsd,
    maxCostUsd,
    minError: min.ok ? null : 'Enter an amount such as 0.25.',
    maxError: max.ok ? (crossed ? 'Must not be less than “From”.' : null) : 'Enter an amount such as 5.',
  }
}
