import type { LiveEvent } from '../../shared/api/events.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import type { ApiError } from '../kit/api-error.ts'

// The rows of a request log that a view has, and how they change as requests arrive.

export interface RequestLog {
  records: readonly RequestRecord[]
  /** Arrived while the user was further down the list; shown on demand, so that the list does not move. Newest first. */
  held: readonly RequestRecord[]
  holding: boolean
  /** New requests have no known place in any other order, and are always held. */
  newestFirst: boolean
  /** When the list was read, in ISO 8601. */
  readAt: string
  nextCursor: string | null
  loadingOlder: boolean
  /** Why older requests could not be loaded. They are not requested again until the user retries. */
  olderError: ApiError | null
}

export const emptyLog: RequestLog = {
  records: [],
  held: [],
  holding: false,
  newestFirst: true,
  readAt: '',
  nextCursor: null,
  loadingOlder: false,
  olderError: null,
}

interface RequestPage {
  data: readonly RequestRecord[]
  nextCursor: string | null
}

/** -1 when the request is not in the list. */
function findRow(
  { records, newestFirst }: Pick<RequestLog, 'records' | 'newestFirst'>,
  record: RequestRecord,
): number {
  return newestFirst ? indexOfRequest(records, record) : records.findIndex(({ id }) => id === record.id)
}

/** The log with a further page. In an order other than by time, a request may have moved to it from an earlier one. */
export function appendPage(log: RequestLog, page: RequestPage): RequestLog {
  const listed = new Set(log.newestFirst ? [] : log.records.map(({ id }) => id))
  const added = page.data.filter(({ id }) => !listed.has(id))
  return { ...log, records: [...log.records, ...added], nextCursor: page.nextCursor }
}

/** The log after events. Whether a request that is not in it passes its filter, if it has one, is only known when it is read. */
export function receiveAll(log: RequestLog, events: readonly LiveEvent[], isFiltered: boolean): RequestLog {
  return events.reduce((now, event) => {
    if (event.type !== 'request') return now
    const { request } = event
    const isKnown = findRow(now, request) >= 0 || indexOfRequest(now.held, request) >= 0
    return isKnown || !isFiltered ? receiveRequest(now, request) : now
  }, log)
}

/** The log after a request arrived, or changed. */
export function receiveRequest(log: RequestLog, record: RequestRecord): RequestLog {
  const { records, held } = log
  const at = findRow(log, record)
  if (at >= 0) return { ...log, records: records.with(at, record) }
  if (isOnUnreadPage(log, record)) return log
  return log.holding || !log.newestFirst
    ? { ...log, held: insertRequest(held, record) }
    : { ...log, records: insertRequest(records, record) }
}

/** The log after the newest requests that pass its filter were read: others of their time no longer pass it. */
export function receiveNewest(log: RequestLog, { data, nextCursor }: RequestPage): RequestLog {
  const passing = new Set(data.map(({ id }) => id))
  const oldest = nextCursor === null ? '' : (data.at(-1)?.createdAt ?? NEVER)
  const stays = ({ id, createdAt }: RequestRecord) => createdAt <= oldest || passing.has(id)
  const left = { ...log, records: log.records.filter(stays), held: log.held.filter(stays) }
  return data.toReversed().reduce(receiveRequest, left)
}

/** Later than all times in ISO 8601. */
const NEVER = 'never'

function isOnUnreadPage({ records, newestFirst, readAt, nextCursor }: RequestLog, record: RequestRecord) {
  if (nextCursor === null) return false
  return newestFirst ? isOlderThanAll(records, record) : record.createdAt < readAt
}

// The order of the request log: newest first, each request once. A list that was scrolled through for a while is long, so
// that finding a request is a binary search.

type OrderedRecord = Pick<RequestRecord, 'id' | 'createdAt'>

/** -1 when the request is not in the list. */
export function indexOfRequest(records: readonly OrderedRecord[], record: OrderedRecord): number {
  for (let at = firstNotNewerThan(records, record.createdAt); at < records.length; at++) {
    const other = records[at]
    if (other?.createdAt !== record.createdAt) break
    if (other.id === record.id) return at
  }
  return -1
}

/** The list with a request where its time puts it, or in place of its older state. */
export function insertRequest(records: readonly RequestRecord[], record: RequestRecord): RequestRecord[] {
  const at = indexOfRequest(records, record)
  if (at >= 0) return records.with(at, record)
  return records.toSpliced(firstNotNewerThan(records, record.createdAt), 0, record)
}

/** Whether a record is older than all that are there. */
export function isOlderThanAll(records: readonly OrderedRecord[], { createdAt }: OrderedRecord): boolean {
  const last = records.at(-1)
  return last !== undefined && createdAt < last.createdAt
}

/** The first index whose record is not newer than `createdAt`, or the length. They are ISO 8601 in UTC, so their texts sort by time. */
function firstNotNewerThan(records: readonly OrderedRecord[], createdAt: string): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((records[middle]?.createdAt ?? '') > createdAt) low = middle + 1
    else high = middle
  }
  return low
}
