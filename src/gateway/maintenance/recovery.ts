import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { PAUSE_MS } from '../sessions/live-sessions.ts'
import type { RecentSession, Store, StoredState } from '../store/store.ts'

/** The state that is kept in memory, as the ledger has it. */
export interface RecoveredState extends StoredState {
  /** Sessions that no pause has ended. */
  sessions: RecentSession[]
}

/** Settles requests that a crash left open, at their estimate, and loads the state that is kept in memory. */
export async function recover(store: Store, clock: Clock, log: Log): Promise<RecoveredState> {
  const now = clock.now()
  const [abandoned, state, sessions] = await Promise.all([
    store.write('settleAbandoned', { now }),
    store.read('loadState'),
    store.read('recentSessions', now - PAUSE_MS),
  ])
  if (abandoned.length > 0) {
    log.warn(
      `${abandoned.length} request(s) were running when Tollgate last stopped; their cost is an estimate.`,
    )
  }
  return { ...state, sessions }
}
