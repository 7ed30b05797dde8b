// Owns what is done by the clock and not by a request: daily backups, pruning of old rows, forgetting of old answers.
import type { Clock } from './clock.ts'
import { IDEMPOTENCY_LIFE_MS } from './http/idempotency.ts'
import type { Log } from './log.ts'
import type { Settings } from './settings.ts'
import type { Store } from './store/store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const PRUNE_BATCH = 5_000

interface Rooms {
  store: Store
  clock: Clock
  settings: Settings
  log: Log
}

/** Starts the hourly round. `stop` ends it and resolves when a round under way is over. */
export function startUpkeep(rooms: Rooms): { stop(): Promise<void> } {
  let backedUpAt = rooms.clock.monotonic()
  let stopped = false
  let round: Promise<void> = Promise.resolve()

  async function goRound(): Promise<void> {
    const { store, clock, settings } = rooms
    const now = clock.now()
    await store.write('sweepIdempotency', now - IDEMPOTENCY_LIFE_MS)
    const { retentionDays } = settings.value
    if (retentionDays !== null) {
      const before = now - retentionDays * DAY_MS
      while (!stopped && (await store.write('pruneRequests', { before, max: PRUNE_BATCH })).more);
    }
    if (!stopped && clock.monotonic() - backedUpAt >= DAY_MS) {
      await store.backup()
      backedUpAt = clock.monotonic()
    }
  }

  const timer = setInterval(() => {
    round = goRound().catch((error: unknown) => {
      rooms.log.warn(
        `Upkeep failed and is tried again in an hour: ${error instanceof Error ? error.message : String(error)}`,
      )
    })
  }, HOUR_MS)
  timer.unref()
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await round
    },
  }
}
