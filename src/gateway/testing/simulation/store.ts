// The store of one simulated process: the real operations and the real queue of calls, with the faults of a disk.
import type { Timers } from '../../platform/clock.ts'
import { CallQueue, reviveError } from '../../store/engine/thread.ts'
import type { Call } from '../../store/part.ts'
import { StoreError } from '../../store/sql/store-error.ts'
import type { Store } from '../../store/store.ts'
import { failAll, type MemoryDatabase } from '../../store/testing/memory-database.ts'

/** Calls per commit, as the writer's thread takes them. */
const MAX_BATCH = 500
/** SQLite gives up on a lock after so long. */
const BUSY_MS = 5_000

const LEDGER_WRITES: ReadonlySet<string> = new Set(['openRequest', 'settleRequest', 'recordSettled'])

/** The state of the disk, which actions change. */
export class Disk {
  /** Monotonic milliseconds until which no write has room, another program holds the lock, and each commit is slow. */
  fullUntil = 0
  lockedUntil = 0
  /** The effect of the next commit on the process. */
  nextCrash: 'before-commit' | 'after-commit' | 'lost-answer' | null = null
  /** How often it has begun to fail for the ledger, and since when it does; null if it does not. */
  failures = 0
  failingSince: number | null = null

  /** To be called after a commit that has rows of requests. `hasFailed`: nothing of it was written. */
  ended(hasFailed: boolean, now: number): void {
    if (!hasFailed) this.failingSince = null
    else if (this.failingSince === null) {
      this.failures += 1
      this.failingSince = now
    }
  }
}

export interface SimulatedStoreDeps {
  database: MemoryDatabase
  disk: Disk
  timers: Timers
  now(): number
  /** Milliseconds that a commit takes. */
  commitMs(): number
  /** The whole process ends. */
  crash(): void
  /** The writer's thread has ended. */
  onFatal(): void
}

export function createSimulatedStore(deps: SimulatedStoreDeps): Store {
  const { database, disk, timers } = deps
  let dead: StoreError | null = null
  // A new process cannot know what has failed before.
  disk.failingSince = null

  const runBatch = (calls: readonly Call[]): void => {
    const startedAt = deps.now()
    const waitMs = Math.max(0, disk.lockedUntil - startedAt)
    const ms = deps.commitMs() + Math.min(waitMs, BUSY_MS)
    timers.setTimeout(() => {
      if (dead) return
      const crash = disk.nextCrash
      disk.nextCrash = null
      if (crash === 'before-commit') return deps.crash()
      const fault = waitMs > BUSY_MS ? 'locked' : disk.fullUntil > deps.now() ? 'full' : null
      const results = fault ? failAll(calls, fault) : database.run(calls)
      if (calls.some(([op]) => LEDGER_WRITES.has(op))) disk.ended(fault !== null, deps.now())
      if (crash === 'after-commit') return deps.crash()
      if (crash === 'lost-answer') {
        dead = new StoreError('failed', 'The writer of the store has died.')
        queue.rejectAll(dead)
        return deps.onFatal()
      }
      queue.answer(results)
    }, ms)
  }
  const queue = new CallQueue(MAX_BATCH, runBatch, timers)
  const call = <T>(op: string, args: unknown[], mayWait = false): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      if (dead) reject(dead)
      else queue.add([op, ...args], { resolve, reject }, mayWait)
    })
  /** Readers see what is committed, and wait for no writer. */
  const readSoon = <T>(op: string, args: unknown[]): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      timers.setTimeout(() => {
        const caller: { resolve(value: unknown): void } = { resolve }
        const result = database.read([op, ...args])
        if (result && 'error' in result) reject(reviveError(result.error))
        else caller.resolve(result?.value)
      }, deps.commitMs())
    })
  const unsupported = () => Promise.reject(new StoreError('failed', 'The simulation has no backups.'))
  return {
    restored: null,
    write: (op, ...args) => call(op, args),
    writeSoon: (op, ...args) => call(op, args, true),
    // The start reads what it has written just before.
    read: (op, ...args) =>
      op === 'loadState' || op === 'recentSessions' ? call(op, args) : readSoon(op, args),
    scan: (op, ...args) => readSoon(op, args),
    backups: {
      create: unsupported,
      list: unsupported,
      getPath: () => Promise.resolve(null),
      import: unsupported,
      abort: () => Promise.resolve(),
      scheduleRestore: unsupported,
      cancelRestore: unsupported,
    },
    close: () => queue.idle(),
  }
}
