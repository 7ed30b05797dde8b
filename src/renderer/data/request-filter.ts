import type { CostStatus, RequestStatus } from '../../shared/api/requests.ts'
import { COST_STATUSES, REQUEST_SORTS, REQUEST_STATUSES, SORT_ORDERS } from '../../shared/api/terms.ts'
import { type DateRange, rangeFromSearch, rangeToQuery, resolveRange } from './date-range.ts'

export interface RequestFilter {
  /** Null: all time. */
  range: DateRange | null
  key: string | null
  model: string | null
  provider: string | null
  /** The name of the calling program; '' for requests without one. */
  client: string | null
  /** A session's id. */
  session: string | null
  /** The project; '' for requests without one. */
  tag: string | null
  status: RequestStatus | null
  /** USD, inclusive. */
  minCostUsd: number | null
  maxCostUsd: number | null
  costStatus: CostStatus | null
  /** Only requests after which an amount stays reserved. */
  held: 'true' | null
  text: string
}

export const noFilter: RequestFilter = {
  range: null,
  key: null,
  model: null,
  provider: null,
  client: null,
  session: null,
  tag: null,
  status: null,
  minCostUsd: null,
  maxCostUsd: null,
  costStatus: null,
  held: null,
  text: '',
}

/** Parses a filter from a query string. Ignores unknown parameters and values. */
export function filterFromSearch(search: string): RequestFilter {
  const params = new URLSearchParams(search)
  return {
    range: rangeFromSearch(params),
    key: params.get('key') || null,
    model: params.get('model') || null,
    provider: params.get('provider') || null,
    client: params.get('client'),
    session: params.get('session') || null,
    tag: params.get('tag'),
    status: REQUEST_STATUSES.find((status) => status === params.get('status')) ?? null,
    minCostUsd: parseAmount(params.get('minCostUsd')),
    maxCostUsd: parseAmount(params.get('maxCostUsd')),
    costStatus: COST_STATUSES.find((status) => status === params.get('costStatus')) ?? null,
    held: params.get('held') === 'true' ? 'true' : null,
    text: params.get('q') ?? '',
  }
}

function parseAmount(text: string | null): number | null {
  if (text === null || text.trim() === '') return null
  const usd = Number(text)
  return Number.isFinite(usd) && usd >= 0 ? usd : null
}

/** The query string of a filter, without `?`; empty for no filter. */
export function filterToSearch(filter: RequestFilter): string {
  const query = { ...rangeToQuery(filter.range), ...getFields(filter) }
  return new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()
}

/** The parameters of `GET /v1/requests`, with the range as moments. */
export function filterToQuery(filter: RequestFilter, zone: string, nowMs = Date.now()) {
  if (filter.range === null) return getFields(filter)
  const { start, end } = resolveRange(filter.range, nowMs, zone)
  return {
    from: new Date(start).toISOString(),
    // Requests that arrive later belong to a range that has not ended.
    ...(end > nowMs ? {} : { to: new Date(end).toISOString() }),
    ...getFields(filter),
  }
}

type Field = Exclude<keyof RequestFilter, 'range' | 'text'>
type FilterFields = { [Name in Field]?: NonNullable<RequestFilter[Name]> } & { q?: string }

/** All but the range; the address and the API give them the same names. */
function getFields({ range: _, text, ...fields }: RequestFilter): FilterFields {
  const set = Object.entries(fields).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(set), ...(text.trim() ? { q: text.trim() } : {}) }
}

/** How many parts of the filter are set, each part once; the search is not counted. */
export function countFilters(filter: RequestFilter): number {
  const { q: _, minCostUsd, maxCostUsd, costStatus, held, ...others } = getFields(filter)
  const hasCost = [minCostUsd, maxCostUsd, costStatus, held].some((part) => part !== undefined)
  return Object.keys(others).length + Number(hasCost)
}

// Which requests a list has, and in which order. Both are part of the address.

export type RequestSort = (typeof REQUEST_SORTS)[number]
export type SortOrder = (typeof SORT_ORDERS)[number]

export interface RequestListing {
  filter: RequestFilter
  sort: RequestSort
  order: SortOrder
}

export function newestFirst(filter: RequestFilter): RequestListing {
  return { filter, sort: 'time', order: 'desc' }
}

export const wholeLog = newestFirst(noFilter)

/** Only in this order do new requests have a known place. */
export function isNewestFirst({ sort, order }: RequestListing): boolean {
  return sort === 'time' && order === 'desc'
}

/** Parses a listing from a query string. Ignores unknown parameters and values. */
export function listingFromSearch(search: string): RequestListing {
  const params = new URLSearchParams(search)
  return {
    filter: filterFromSearch(search),
    sort: REQUEST_SORTS.find((sort) => sort === params.get('sort')) ?? 'time',
    order: SORT_ORDERS.find((order) => order === params.get('order')) ?? 'desc',
  }
}

/** The query string of a listing, without `?`; empty for the whole log, newest first. */
export function listingToSearch(listing: RequestListing): string {
  const order = new URLSearchParams(getOrder(listing)).toString()
  return [filterToSearch(listing.filter), order].filter((part) => part !== '').join('&')
}

/** The parameters of `GET /v1/requests`. */
export function listingToQuery(listing: RequestListing, zone: string) {
  return { ...filterToQuery(listing.filter, zone), ...getOrder(listing) }
}

function getOrder({ sort, order }: RequestListing): { sort?: RequestSort; order?: SortOrder } {
  return { ...(sort === 'time' ? {} : { sort }), ...(order === 'desc' ? {} : { order }) }
}

/** The listing after a click on the head of a sorted column: descending, ascending, then newest first again. */
export function toggleSort({ filter, sort, order }: RequestListing, clicked: RequestSort): RequestListing {
  if (sort !== clicked) return { filter, sort: clicked, order: 'desc' }
  return order === 'desc' ? { filter, sort, order: 'asc' } : newestFirst(filter)
}
