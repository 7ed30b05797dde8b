import type { USAGE_SPLITS } from '../../shared/api/terms.ts'
import { type DateRange, rangeToQuery } from './date-range.ts'

export type UsageSplit = (typeof USAGE_SPLITS)[number]
/** The filters of usage. */
export type FilterName = UsageSplit | 'branch'
/** Which requests: those of one key, model, provider and client, as far as they are named. */
export type UsageFilter = Partial<Record<FilterName, string>>

/**
 * The address of the requests of a range. Null if no filter selects them: those without a model, provider or session, and
 * those of a branch.
 */
export function requestsHref(filter: UsageFilter, range: DateRange | null): string | null {
  const { client, tag, branch, ...others } = filter
  if (branch !== undefined || Object.values(others).includes('')) return null
  return createHref('/requests', {
    ...others,
    // Blank for programs that sent no name, and for requests of no project.
    ...(client === undefined ? {} : { client }),
    ...(tag === undefined ? {} : { tag }),
    ...rangeToQuery(range),
  })
}

/** The address of the usage of a range, by one of the splits. */
export function usageHref(by: UsageSplit, range: DateRange): string {
  return createHref('/usage', { by, ...rangeToQuery(range) })
}

/** The address of the sessions of a range on a branch. */
export function branchHref(branch: string, range: DateRange | null): string {
  return createHref('/sessions', { branch, ...rangeToQuery(range) })
}

function createHref(path: string, params: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(params)
  return search.size > 0 ? `${path}?${search}` : path
}
