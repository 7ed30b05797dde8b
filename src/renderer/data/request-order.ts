// The order of the request log: newest first, each request once. A list that was scrolled through for a while is long, so
// that finding a request is a binary search.
import type { RequestRecord } from '../../shared/api/requests.ts'

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

/** The list without a request; the same array when it was not there. */
export function removeRequest<R extends readonly OrderedRecord[]>(
  records: R,
  record: OrderedRecord,
): R | R[number][] {
  const at = indexOfRequest(records, record)
  return at < 0 ? records : records.toSpliced(at, 1)
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
