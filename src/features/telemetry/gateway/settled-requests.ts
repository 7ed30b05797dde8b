import type { EventHub } from '../../../gateway/platform/events.ts'
import type { LiveEvent } from '../../../shared/api/events.ts'
import type { RequestRecord } from '../../../shared/api/requests.ts'

/** Called with a request that has ended, and how many were counted in its record since the last call. */
export type SettledListener = (record: RequestRecord, repeats: number) => void

const MAX_REMEMBERED = 1_000

/**
 * Listens to the end of requests until the returned function is called. Refused and rejected ones that repeat within a
 * minute share a record, which is announced again with a higher count. One whose cost is confirmed later does not end again.
 */
export function listenToSettled(events: EventHub, listener: SettledListener): () => void {
  /** How many were counted, by the id of the record; the oldest first. */
  const counted = new Map<string, number>()
  const onEvent = (event: LiveEvent) => {
    if (event.type !== 'request') return
    const { id, status, count, costStatus } = event.request
    if (status === 'running' || costStatus === 'confirmed') return
    const previousCount = counted.get(id) ?? 0
    if (count <= previousCount) return
    counted.set(id, count)
    const [oldest] = counted.keys()
    if (counted.size > MAX_REMEMBERED && oldest !== undefined) counted.delete(oldest)
    listener(event.request, count - previousCount)
  }
  return events.subscribe(onEvent, { types: ['request'] })
}
