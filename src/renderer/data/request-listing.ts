// Which requests a list has, and in which order. Both are part of the address.
import { REQUEST_SORTS, SORT_ORDERS } from '../../shared/api/terms.ts'
import {
  filterFromSearch,
  filterToQuery,
  filterToSearch,
  noFilter,
  type RequestFilter,
} from './request-filter.ts'

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
