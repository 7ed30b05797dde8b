import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Store, StoredState } from '../store/store.ts'

/** Settles requests that a crash left open, at their estimate, and loads the state that is kept in memory. */
export async function recover(store: Store, clock: Clock, log: Log): Promise<StoredState> {
  const [abandoned, state] = await Promise.all([
    store.write('settleAbandoned', { now: clock.now() }),
    store.read('loadState'),
  ])
  if (abandoned.length > 0) {
    log.warn(
      `${abandoned.length} request(s) were running when Tollgate last stopped; their cost is an estimate.`,
    )
  }
  return state
}
