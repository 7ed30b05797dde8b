// The periodic tasks, twenty seconds after the start and then every hour: pruning the log, deleting old answers, releasing disk
// space, and a backup if the newest is a day old. The first run also compares the totals with the ledger. Deletion uses a clock that
// advances at most a day per hour, so that a wrong system clock deletes little.
import { errorMessage } from '../../shared/values/text.ts'
import { IDEMPOTENCY_LIFE_MS } from '../idempotency/idempotency.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { PAUSE_MS } from '../sessions/live-sessions.ts'
import type { CommonServices } from '../settings/settings.ts'
import type { RecentSession, Store, StoredState } from '../store/store.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** How long the sums of a session stay after its requests were deleted: a year and a month to compare with. */
const EMPTY_SESSION_DAYS = 400
const MB = 1024 * 1024
const PRUNE_BATCH = 5_000
/** The name under which earlier versions stored it. */
const TRUSTED_TIME = 'upkeepTime'
/** Reading the whole ledger must not slow down the start of the app. */
const FIRST_ROUND_MS = 20_000

/** Runs the tasks soon after the start, then once an hour. `stop` ends that and aborts a running backup. */
export function startMaintenance(
  deps: Omit<CommonServices, 'events'>,
  firstRoundMs = FIRST_ROUND_MS,
): { stop(): Promise<void> } {
  const { store, clock, settings, log } = deps
  const stored = settings.stored(TRUSTED_TIME)
  let trustedTime = typeof stored === 'number' && Number.isFinite(stored) ? stored : null
  let stopped = false
  let round: Promise<void> = Promise.resolve()

  const tasks: Record<string, () => Promise<unknown>> = {
    'Deleting old data': removeOld,
    'Limiting the size of the log': async () => {
      const maxBytes = settings.value.maxLogMb * MB
      await repeatUntilDone(() => store.write('pruneToSize', { maxBytes, max: PRUNE_BATCH }))
    },
    'Releasing disk space': () => repeatUntilDone(() => store.write('releaseFreePages', { all: false })),
    'Checking the database for damage': checkDamage,
    'The daily backup': backUp,
  }

  async function repeatUntilDone(step: () => Promise<{ more: boolean }>): Promise<void> {
    while (!stopped && (await step()).more);
  }

  /**
   * The time by which old data is deleted. It follows the wall clock, but advances by at most a day per call (one an hour):
   * a clock that was far ahead for a while has little deleted. Durable before it is used.
   */
  async function advanceTime(): Promise<number> {
    const now = clock.now()
    const time = trustedTime === null ? now : Math.min(now, trustedTime + DAY_MS)
    await store.write('putSettings', [{ name: TRUSTED_TIME, value: time }])
    trustedTime = time
    return time
  }

  async function removeOld(): Promise<void> {
    const now = await advanceTime()
    await store.write('sweepIdempotency', now - IDEMPOTENCY_LIFE_MS)
    await store.write('sweepParts', now)
    await store.write('pruneSessions', { before: now - EMPTY_SESSION_DAYS * DAY_MS })
    const { retentionDays } = settings.value
    if (retentionDays === null) return
    const before = now - retentionDays * DAY_MS
    await repeatUntilDone(() => store.write('pruneRequests', { before, max: PRUNE_BATCH }))
  }

  /** Damage ends the process, as it does wherever else it is found. */
  async function checkDamage(): Promise<void> {
    const now = clock.now()
    if (!(await store.read('isCheckDue', now))) return
    await store.read('checkDamage')
    await store.write('noteCheck', now)
  }

  /** Decided by the existing backups, not by a timer: an app that is closed every evening gets its daily backup too. */
  async function backUp(): Promise<void> {
    const now = clock.now()
    const { backups } = await store.backups.list()
    if (!backups.some(({ madeAt, imported }) => !imported && madeAt <= now && now - madeAt < DAY_MS))
      await store.backups.create()
  }

  async function run(wanted: typeof tasks): Promise<void> {
    for (const [name, task] of Object.entries(wanted)) {
      if (stopped) return
      await task().catch((error: unknown) => {
        if (stopped) return
        log.warn(`${name} failed and is retried later: ${errorMessage(error)}`)
      })
    }
  }

  let timer = setTimeout(() => {
    round = run({ 'Checking the totals': () => logDiscrepancies(store, log), ...tasks })
    timer = setInterval(() => {
      round = round.then(() => run(tasks))
    }, HOUR_MS)
    timer.unref()
  }, firstRoundMs)
  timer.unref()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await store.backups.abort()
      await round
    },
  }
}

/** Logs where totals and ledger differ. */
async function logDiscrepancies(store: Store, log: Log): Promise<void> {
  for (const { what, expectedNano, foundNano } of await store.read('checkTotals')) {
    log.error(
      `Totals disagree: ${what} add up to ${foundNano} nano-dollars, but ${expectedNano} were charged.`,
    )
  }
}

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
