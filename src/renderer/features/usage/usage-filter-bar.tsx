import { HistorySwitch } from '../../../features/history/view/history.tsx'
import { lowerLabel } from '../../../shared/values/locale.ts'
import type { FilterName, UsageFilter, UsageSplit } from '../../data/request-link.ts'
import { NAMED_SPLITS } from '../../data/usage-label.ts'
import { type UsageBy, WHOLE_ROWS } from '../../data/usage-table.ts'
import { Select } from '../../kit/select.tsx'
import type { Sort } from '../../kit/table-order.ts'
import { SplitFilterBar } from '../../parts/filters/filter-fields.tsx'
import { COLUMN_IDS, type ColumnId } from './usage-row.ts'

interface UsageFilterBarProps {
  address: UsageAddress
  onChange: (change: Partial<UsageAddress>) => void
}

export function UsageFilterBar({ address: { by, parts, filter }, onChange }: UsageFilterBarProps) {
  return (
    <SplitFilterBar
      look="page"
      names={FILTER_NAMES}
      filter={filter}
      onChange={(next) => onChange({ filter: next })}
    >
      <div className="mr-auto flex flex-wrap items-center gap-2">
        <Select
          small
          label="Rows by"
          value={by}
          options={ROWS.map(({ value, label }) => ({ value, label: `By ${lowerLabel(label)}` }))}
          onChange={(next) => onChange({ by: next })}
        />
        {hasParts(by) ? (
          <Select
            small
            label="Parts by"
            value={parts}
            options={NAMED_SPLITS.filter(({ value }) => value !== by).map(({ value, label }) => ({
              value,
              label: `then by ${lowerLabel(label)}`,
            }))}
            onChange={(next) => onChange({ parts: next })}
          />
        ) : null}
        <HistorySwitch />
      </div>
    </SplitFilterBar>
  )
}

// The view's state in its address; the range of time is read by `useDateRange`.

export const ROWS = [
  ...NAMED_SPLITS,
  { value: 'branch', label: 'Branch' },
  { value: 'commit', label: 'Commit' },
  { value: 'day', label: 'Day' },
] as const

const FILTER_NAMES: readonly FilterName[] = [...NAMED_SPLITS.map(({ value }) => value), 'branch']

/** Whether the rows can be divided. */
export function hasParts(by: UsageBy): by is UsageSplit | 'day' {
  return !WHOLE_ROWS.some((each) => each === by)
}

export interface UsageAddress {
  by: UsageBy
  /** Into which the rows are divided. Never the same as `by`. */
  parts: UsageSplit
  filter: UsageFilter
  sort: Sort<ColumnId>
}

export function readAddress(search: string): UsageAddress {
  const params = new URLSearchParams(search)
  const by = ROWS.find(({ value }) => value === params.get('by'))?.value ?? 'model'
  const parts = NAMED_SPLITS.find(({ value }) => value === params.get('parts') && value !== by)?.value
  const filter: UsageFilter = {}
  for (const name of FILTER_NAMES) {
    const id = params.get(name)
    if (id) filter[name] = id
  }
  return { by, parts: parts ?? defaultParts(by), filter, sort: readSort(params.get('sort'), by) }
}

/** The parameters for a change of what is shown. Those that have their default are left out. */
export function writeAddress(search: string, change: Partial<UsageAddress>): string {
  const next = { ...readAddress(search), ...change }
  // The order of other rows means nothing for these, and they cannot be divided by themselves.
  if (change.by && !change.sort) next.sort = defaultSort(next.by)
  if (next.parts === next.by) next.parts = defaultParts(next.by)
  const params = new URLSearchParams(search)
  const set = (name: string, value: string | undefined, initial?: string) =>
    value === undefined || value === initial ? params.delete(name) : params.set(name, value)
  set('by', next.by, 'model')
  set('parts', next.parts, defaultParts(next.by))
  set('sort', writeSort(next.sort), writeSort(defaultSort(next.by)))
  for (const name of FILTER_NAMES) set(name, next.filter[name])
  return params.toString()
}

function defaultParts(by: UsageBy): UsageSplit {
  return by === 'model' ? 'key' : 'model'
}

/** Days by date, all others by what they cost. */
function defaultSort(by: UsageBy): Sort<ColumnId> {
  return { column: by === 'day' ? 'name' : 'cost', descending: true }
}

function readSort(text: string | null, by: UsageBy): Sort<ColumnId> {
  const descending = text?.startsWith('-') ?? false
  const column = COLUMN_IDS.find((id) => id === (descending ? text?.slice(1) : text))
  return column ? { column, descending } : defaultSort(by)
}

function writeSort({ column, descending }: Sort<ColumnId>): string {
  return `${descending ? '-' : ''}${column}`
}
