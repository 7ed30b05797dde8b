// The view's state in its address; the range of time is read by `useDateRange`.
import type { UsageFilter, UsageSplit } from '../../data/request-link.ts'
import type { UsageBy } from '../../data/usage-table.ts'
import type { Sort } from '../../kit/table-order.ts'
import { COLUMN_IDS, type ColumnId } from './usage-row.ts'

export const SPLITS = [
  { value: 'model', label: 'Model', plural: 'Models' },
  { value: 'key', label: 'Key', plural: 'Keys' },
  { value: 'provider', label: 'Provider', plural: 'Providers' },
  { value: 'client', label: 'Tool', plural: 'Tools' },
  { value: 'tag', label: 'Project', plural: 'Projects' },
  { value: 'session', label: 'Session', plural: 'Sessions' },
] as const satisfies { value: UsageSplit; label: string; plural: string }[]

export const ROWS = [...SPLITS, { value: 'day', label: 'Day', plural: 'Days' }] as const

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
  const parts = SPLITS.find(({ value }) => value === params.get('parts') && value !== by)?.value
  const filter: UsageFilter = {}
  for (const { value } of SPLITS) {
    const id = params.get(value)
    if (id) filter[value] = id
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
  for (const { value } of SPLITS) set(value, next.filter[value])
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
