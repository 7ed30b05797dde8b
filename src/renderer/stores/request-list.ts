// Owns the order of the request log: newest first, each request once. Pure; finding a place takes a binary search, as
// a list that was scrolled through for a while is long.
import type { RequestRecord } from '../../shared/requests.ts'

type Placed = Pick<RequestRecord, 'id' | 'createdAt'>

/** Where a request stands in the list; -1 when it is not there. */
export function placeOf(records: readonly Placed[], record: Placed): number {
  for (let at = firstNotNewer(records, record.createdAt); at < records.length; at++) {
    const other = records[at]
    if (other?.createdAt !== record.createdAt) break
    if (other.id === record.id) return at
  }
  return -1
}

/** The list with a record where its time belongs, in place of an older state of itself. */
export function withRecord(records: readonly RequestRecord[], record: RequestRecord): RequestRecord[] {
  const at = placeOf(records, record)
  if (at >= 0) return records.with(at, record)
  return records.toSpliced(firstNotNewer(records, record.createdAt), 0, record)
}

/** The list without a record; the very same list when it was not there. */
export function withoutRecord<R extends readonly Placed[]>(records: R, record: Placed): R | R[number][] {
  const at = placeOf(records, record)
  return at < 0 ? records : records.toSpliced(at, 1)
}

/** Whether a record is older than all that are there. */
export function isOlderThanAll(records: readonly Placed[], { createdAt }: Placed): boolean {
  const last = records.at(-1)
  return last !== undefined && createdAt < last.createdAt
}

/** The first place whose record is not newer than a moment. Moments are ISO 8601 in UTC, so their texts are ordered. */
function firstNotNewer(records: readonly Placed[], createdAt: string): number {
  let low = 0
  let high = records.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((records[middle]?.createdAt ?? '') > createdAt) low = middle + 1
    else high = middle
  }
  return low
}
