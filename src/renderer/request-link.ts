import type { USAGE_SPLITS } from '../shared/usage.ts'
import { type DateRange, rangeToQuery } from './server-state/date-range.ts'

export type UsageSplit = (typeof USAGE_SPLITS)[number]
/** Which requests: those of one key, model, provider and client, as far as they are named. */
export type UsageFilter = Partial<Record<UsageSplit, string>>

/** The address of the requests of a range. Blank names are left out: no filter selects what has no name. */
export function requestsHref(filter: UsageFilter, range: DateRange | null): string {
  return hrefOf('/requests', { ...filter, ...rangeToQuery(range) })
}

/** The address of the usage of a range, by one of the splits. */
export function usageHref(by: UsageSplit, range: DateRange): string {
  return hrefOf('/usage', { by, ...rangeToQuery(range) })
}

function hrefOf(path: string, params: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value) search.set(name, value)
  return search.size > 0 ? `${path}?${search}` : path
}
