// Owns what is done by the clock and not by a request: checking totals, daily backups, pruning of old rows, forgetting of
// old answers, giving back space.

import { errorMessage } from '../../shared/error-message.ts'
import { IDEMPOTENCY_LIFE_MS } from '../idempotency/idempotency.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { Store } from '../store/store.ts'
import { TrustedTime } from './trusted-time.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
const MB = 1024 * 1024
const PRUNE_BATCH = 5_000
/** The start belongs to whoever opened the app: what reads the whole ledger waits until that is over. */
const FIRST_ROUND_MS = 20_000

interface Deps {
  store: Store
  clock: Clock
  settings: Settings
  log: Log
}

/** Starts the rounds: one soon after the start, then one an hour. `stop` ends them and breaks off a backup. */
export function startMaintenance(deps: Deps, firstRoundMs = FIRST_ROUND_MS): { stop(): Promise<void> } {
  const { store, clock, settings, log } = deps
  const trusted = new TrustedTime(store, clock, TrustedTime.stored(settings))
  let stopped = false
  let round: Promise<void> = Promise.resolve()

  const tasks: Record<string, () => Promise<unknown>> = {
    'Removing what is old': removeOld,
    'Bounding the log': async () => {
      const maxBytes = settings.value.maxLogMb * MB
      await untilDone(() => store.write('pruneToSize', { maxBytes, max: PRUNE_BATCH }))
    },
    'Giving back space': () => untilDone(() => store.write('releaseFreePages', { all: false })),
    'The daily backup': backUp,
  }

  async function untilDone(step: () => Promise<{ more: boolean }>): Promise<void> {
    while (!stopped && (await step()).more);
  }

  async function removeOld(): Promise<void> {
    const now = await trusted.advance()
    await store.write('sweepIdempotency', now - IDEMPOTENCY_LIFE_MS)
    const { retentionDays } = settings.value
    if (retentionDays === null) return
    const before = now - retentionDays * DAY_MS
    await untilDone(() => store.write('pruneRequests', { before, max: PRUNE_BATCH }))
  }

  /** By the backups that there are: an app that is closed every evening has its daily backup too. */
  async function backUp(): Promise<void> {
    const now = clock.now()
    const { backups } = await store.backups()
    if (!backups.some(({ madeAt }) => madeAt <= now && now - madeAt < DAY_MS)) await store.backup()
  }

  async function go(wanted: typeof tasks): Promise<void> {
    for (const [name, task] of Object.entries(wanted)) {
      if (stopped) return
      await task().catch((error: unknown) => {
        if (stopped) return
        log.warn(`${name} failed and is tried again later: ${errorMessage(error)}`)
      })
    }
  }

  let timer = setTimeout(() => {
    round = go({ 'Checking the totals': () => checkTotals(store, log), ...tasks })
    timer = setInterval(() => {
      round = round.then(() => go(tasks))
    }, HOUR_MS)
    timer.unref()
  }, firstRoundMs)
  timer.unref()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await store.abortBackup()
      await round
    },
  }
}

/** Tells when totals and ledger do not agree. */
async function checkTotals(store: Store, log: Log): Promise<void> {
  for (const { what, expectedNano, foundNano } of await store.read('checkTotals')) {
    log.error(`Totals disagree: ${what} is ${foundNano} nano-dollars where the ledger says ${expectedNano}.`)
  }
}
