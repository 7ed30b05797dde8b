import { COST_STATUSES, REQUEST_SORTS, REQUEST_STATUSES, SORT_ORDERS } from '../../shared/api/terms.ts'
import { type DateRange, rangeFromSearch, rangeToQuery, resolveRange } from './date-range.ts'

type Read<Value> = (text: string | null) => Value | null

const readId: Read<string> = (text) => text || null
const readBlank: Read<string> = (text) => text
const readAmount: Read<number> = (text) => {
  const usd = text === null || text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(usd) && usd >= 0 ? usd : null
}
const readOne =
  <Value extends string>(values: readonly Value[]): Read<Value> =>
  (text) =>
    values.find((value) => value === text) ?? null

/** How each part of a filter is read from the address, which has it under the same name as the API. */
const READERS = {
  key: readId,
  model: readId,
  provider: readId,
  /** The name of the calling program; '' for requests without one. */
  client: readBlank,
  /** A session's id. */
  session: readId,
  /** The project; '' for requests without one. */
  tag: readBlank,
  /** The id of a batch; '' for requests that are no line of one. */
  batch: readBlank,
  status: readOne(REQUEST_STATUSES),
  /** USD, inclusive. */
  minCostUsd: readAmount,
  maxCostUsd: readAmount,
  costStatus: readOne(COST_STATUSES),
  /** Only requests after which an amount stays reserved. */
  held: readOne(['true']),
}

type Fields = { [Name in keyof typeof READERS]: ReturnType<(typeof READERS)[Name]> }

export interface RequestFilter extends Fields {
  /** Null: all time. */
  range: DateRange | null
  text: string
}

/** Parses a filter from a query string. Ignores unknown parameters and values. */
export function filterFromSearch(search: string): RequestFilter {
  const params = new URLSearchParams(search)
  const fields = Object.entries(READERS).map(([name, read]) => [name, read(params.get(name))])
  return {
    ...(Object.fromEntries(fields) as Fields),
    range: rangeFromSearch(params),
    text: params.get('q') ?? '',
  }
}

export const noFilter = filterFromSearch('')

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

type FilterFields = { [Name in keyof Fields]?: NonNullable<Fields[Name]> } & { q?: string }

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
