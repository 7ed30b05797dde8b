// Owns the window's view of the request log: the pages loaded so far under one filter, and what arrives live.
import { create } from 'zustand'
import type { RequestRecord } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { type ApiError, toApiError } from '../api-error.ts'
import { type Loaded, loaded, notLoaded } from './loaded.ts'
import { filterToQuery, noFilter, passesFilter, type RequestFilter } from './request-filter.ts'
import { isOlderThanAll, placeOf, withoutRecord, withRecord } from './request-list.ts'

/** The first page fills the highest of screens; the others keep ahead of a scrolling hand. */
const FIRST_PAGE = 60
const PAGE = 100

interface RequestsStore extends Loaded {
  filter: RequestFilter
  /** The records are still those of the filter before. */
  stale: boolean
  /** Newest first. */
  records: readonly RequestRecord[]
  /** Arrived while the reader was further down the list: shown when they ask, so that nothing moves under them. */
  held: readonly RequestRecord[]
  holding: boolean
  nextCursor: string | null
  loadingMore: boolean
  /** Why older requests could not be loaded. They are not asked for again until the reader says so. */
  moreError: ApiError | null
  /** The newest record of each key since the window opened, or a rejected one from before; Connect waits for it. */
  latestByKey: Readonly<Record<string, RequestRecord>>
  /** The request whose detail is read, also when the list does not have it. */
  opened: RequestRecord | null
  setFilter(filter: RequestFilter): Promise<void>
  refresh(): Promise<void>
  loadMore(): Promise<void>
  /**
   * Reads one request; the record as it stands in the list is there at once. Gives the id of its record, which is another's
   * where the call was counted in that. Throws ApiError, or the signal's AbortError.
   */
  open(id: string, signal: AbortSignal): Promise<string>
  /** Says what an unsettled request cost. Throws ApiError. */
  settle(id: string, costUsd: number): Promise<void>
  /** Looks whether the last that was done with a key, at `lastUsedAt`, was a call that was rejected. Throws ApiError. */
  findRejected(key: string, lastUsedAt: string): Promise<void>
  arrive(records: readonly RequestRecord[]): void
  hold(on: boolean): void
}

type List = Pick<RequestsStore, 'filter' | 'records' | 'held' | 'holding' | 'nextCursor'>

export const useRequests = create<RequestsStore>()((set, get) => ({
  ...notLoaded,
  filter: noFilter,
  stale: false,
  records: [],
  held: [],
  holding: false,
  nextCursor: null,
  loadingMore: false,
  moreError: null,
  latestByKey: {},
  opened: null,
  async setFilter(filter) {
    set({ filter, stale: get().state === 'ready', held: [], nextCursor: null, moreError: null })
    await get().refresh()
  },
  async refresh() {
    const { filter } = get()
    try {
      const page = await api('listRequests', { query: { limit: FIRST_PAGE, ...filterToQuery(filter) } })
      const now = get()
      if (now.filter !== filter) return
      const overlaps = page.data.some((record) => placeOf(now.records, record) >= 0)
      if (now.holding && !now.stale && overlaps) {
        // The reader is further down: what they look at must not move.
        now.arrive(page.data.toReversed())
        return set(loaded)
      }
      const fresh = { records: page.data, held: [], nextCursor: page.nextCursor, moreError: null }
      set({ ...fresh, stale: false, ...loaded })
    } catch (thrown) {
      const { filter: now, state, stale } = get()
      // Rows of another filter would be taken for the answer to this one.
      const kept = state === 'ready' && !stale
      if (now === filter) set({ state: kept ? 'ready' : 'failed', stale: false, error: toApiError(thrown) })
    }
  },
  async loadMore() {
    const { filter, nextCursor, loadingMore } = get()
    if (nextCursor === null || loadingMore) return
    set({ loadingMore: true, moreError: null })
    try {
      const query = { limit: PAGE, cursor: nextCursor, ...filterToQuery(filter) }
      const page = await api('listRequests', { query })
      // The list was read anew meanwhile, and goes on elsewhere.
      if (get().nextCursor !== nextCursor) return set({ loadingMore: false })
      const records = [...get().records, ...page.data]
      set({ loadingMore: false, records, nextCursor: page.nextCursor })
    } catch (thrown) {
      const still = get().nextCursor === nextCursor
      set({ loadingMore: false, moreError: still ? toApiError(thrown) : null })
    }
  },
  async open(id, signal) {
    const { records, held, opened } = get()
    const listed = (one: RequestRecord) => one.id === id
    if (opened?.id !== id) set({ opened: records.find(listed) ?? held.find(listed) ?? null })
    const record = await api('getRequest', { params: { id }, signal })
    set({ opened: record })
    return record.id
  },
  async settle(id, costUsd) {
    get().arrive([await api('settleRequest', { params: { id }, body: { costUsd } })])
  },
  async findRejected(key, lastUsedAt) {
    const { data } = await api('listRequests', { query: { key, status: 'rejected', limit: 1 } })
    const [last] = data
    if (!last || cameAt(last) < lastUsedAt || get().latestByKey[key]) return
    set({ latestByKey: { ...get().latestByKey, [key]: last } })
  },
  arrive(arrived) {
    const { latestByKey, opened, filter, records, held, holding, nextCursor } = get()
    const list: List = { filter, records, held, holding, nextCursor }
    const latest: Record<string, RequestRecord> = {}
    for (const record of arrived) {
      const before = latest[record.keyId] ?? latestByKey[record.keyId]
      if (!before || before.id === record.id || cameAt(record) >= cameAt(before))
        latest[record.keyId] = record
      Object.assign(list, received(list, record))
    }
    set({
      latestByKey: { ...latestByKey, ...latest },
      opened: arrived.findLast(({ id }) => id === opened?.id) ?? opened,
      records: list.records,
      held: list.held,
    })
  },
  hold(holding) {
    const { held, records } = get()
    if (holding || held.length === 0) set({ holding })
    else set({ holding, held: [], records: held.toReversed().reduce(withRecord, [...records]) })
  },
}))

/** When the last call that a record stands for came. A count is told late, when others may have come. */
function cameAt({ createdAt, lastAt }: RequestRecord): string {
  return lastAt ?? createdAt
}

/** What a record that arrives changes in the list. */
function received(list: List, record: RequestRecord): Partial<List> {
  const { filter, records, held, holding, nextCursor } = list
  const fits = passesFilter(filter, record)
  if (placeOf(records, record) >= 0) {
    return { records: fits ? withRecord(records, record) : withoutRecord(records, record) }
  }
  if (!fits) return { held: withoutRecord(held, record) }
  // It stands on a page that is not loaded yet.
  if (nextCursor !== null && isOlderThanAll(records, record)) return {}
  return holding ? { held: withRecord(held, record) } : { records: withRecord(records, record) }
}
