// Owns the window's view of the request log: the pages loaded so far under one filter, and what arrives live.
import { create } from 'zustand'
import type { RequestRecord } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { toApiError } from '../api-error.ts'
import { type Loaded, loaded, notLoaded } from './loaded.ts'
import { filterToQuery, noFilter, passesFilter, type RequestFilter } from './request-filter.ts'

const PAGE = 100

interface RequestsStore extends Loaded {
  filter: RequestFilter
  /** Newest first. */
  records: RequestRecord[]
  /** Arrived while the reader was further down the list: shown when they ask, so that nothing moves under them. */
  held: RequestRecord[]
  holding: boolean
  nextCursor: string | null
  loadingMore: boolean
  /** The newest record of each key since the window opened; Connect waits for it. */
  latestByKey: Readonly<Record<string, RequestRecord>>
  setFilter(filter: RequestFilter): Promise<void>
  refresh(): Promise<void>
  loadMore(): Promise<void>
  arrive(record: RequestRecord): void
  hold(on: boolean): void
}

export const useRequests = create<RequestsStore>()((set, get) => ({
  ...notLoaded,
  filter: noFilter,
  records: [],
  held: [],
  holding: false,
  nextCursor: null,
  loadingMore: false,
  latestByKey: {},
  async setFilter(filter) {
    set({ filter, ...notLoaded, records: [], held: [], nextCursor: null })
    await get().refresh()
  },
  async refresh() {
    const { filter } = get()
    try {
      const page = await api('listRequests', { query: { limit: PAGE, ...filterToQuery(filter) } })
      if (get().filter !== filter) return
      set({ records: page.data, held: [], nextCursor: page.nextCursor, ...loaded })
    } catch (thrown) {
      if (get().filter === filter) set({ state: 'failed', error: toApiError(thrown) })
    }
  },
  async loadMore() {
    const { filter, nextCursor, loadingMore } = get()
    if (nextCursor === null || loadingMore) return
    set({ loadingMore: true })
    try {
      const page = await api('listRequests', {
        query: { limit: PAGE, cursor: nextCursor, ...filterToQuery(filter) },
      })
      if (get().filter !== filter) return
      const known = new Set(get().records.map(({ id }) => id))
      const older = page.data.filter(({ id }) => !known.has(id))
      set({ records: [...get().records, ...older], nextCursor: page.nextCursor })
    } catch (thrown) {
      set({ error: toApiError(thrown) })
    } finally {
      set({ loadingMore: false })
    }
  },
  arrive(record) {
    const { latestByKey, filter, records, held, holding } = get()
    set({ latestByKey: { ...latestByKey, [record.keyId]: record } })
    if (records.some(({ id }) => id === record.id)) {
      const stays = passesFilter(filter, record)
      set({ records: records.flatMap((other) => (other.id !== record.id ? other : stays ? record : [])) })
    } else if (passesFilter(filter, record)) {
      if (holding) set({ held: insert(held, record) })
      else set({ records: insert(records, record) })
    }
  },
  hold(holding) {
    const { held, records } = get()
    if (holding) set({ holding })
    else set({ holding, held: [], records: held.toReversed().reduce(insert, records) })
  },
}))

/** Puts a record where its time belongs (newest first), in place of an older state of itself. */
export function insert(records: readonly RequestRecord[], record: RequestRecord): RequestRecord[] {
  const others = records.filter(({ id }) => id !== record.id)
  const at = others.findIndex((other) => other.createdAt <= record.createdAt)
  return at < 0 ? [...others, record] : others.toSpliced(at, 0, record)
}
