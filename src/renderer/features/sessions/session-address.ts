// Which sessions are listed, and in which order. Both are part of the address.

import { SESSION_SORTS } from '../../../shared/api/sessions.ts'
import { SORT_ORDERS } from '../../../shared/api/terms.ts'
import { LAST_7_DAYS, rangeFromSearch, rangeToQuery } from '../../data/date-range.ts'
import type { SortOrder } from '../../data/request-listing.ts'
import type { SessionFilter, SessionSort } from '../../data/session-list.ts'

export interface SessionAddress {
  filter: SessionFilter
  sort: SessionSort
  order: SortOrder
}

export function readAddress(search: string): SessionAddress {
  const params = new URLSearchParams(search)
  return {
    filter: {
      range: rangeFromSearch(params) ?? LAST_7_DAYS,
      text: params.get('q'),
      model: params.get('model'),
      key: params.get('key'),
      client: params.get('client'),
      tag: params.get('tag'),
      branch: params.get('branch'),
      singles: params.has('singles'),
    },
    sort: SESSION_SORTS.find((sort) => sort === params.get('sort')) ?? 'time',
    order: SORT_ORDERS.find((order) => order === params.get('order')) ?? 'desc',
  }
}

/** The query string, without `?`. What has its default is left out. */
export function writeAddress({
  filter: { range, singles, text, ...ids },
  sort,
  order,
}: SessionAddress): string {
  const params = new URLSearchParams(
    'preset' in range && range.preset === LAST_7_DAYS.preset ? {} : rangeToQuery(range),
  )
  for (const [name, value] of Object.entries({ q: text, ...ids })) if (value !== null) params.set(name, value)
  if (singles) params.set('singles', '')
  if (sort !== 'time') params.set('sort', sort)
  if (order !== 'desc') params.set('order', order)
  return params.toString()
}

export function isFiltered({ range: _range, singles: _singles, ...ids }: SessionFilter): boolean {
  return Object.values(ids).some((id) => id !== null)
}
