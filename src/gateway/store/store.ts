// Owns the store as the rest of the gateway sees it: named operations that are answered by two threads.
import { type Log, silentLog } from '../platform/log.ts'
import { BackupQueue } from './backup-queue.ts'
import type { RestoreRefusal, StoredBackup, StoredBackups } from './backup-tasks.ts'
import type { reads } from './reads.ts'
import type { Restored } from './restore.ts'
import type { StoreError } from './store-error.ts'
import { startThread, type Thread } from './thread.ts'
import type { writes } from './writes.ts'

export type { RestoreRefusal, StoredBackup, StoredBackups } from './backup-tasks.ts'
export type { ConfirmRefusal } from './cost-confirmation.ts'
export type { StoredIdempotency } from './idempotency.ts'
export type { NewKey, StoredKey } from './keys.ts'
export type { NewRequest, RefusedCount, RefusedRequest, Settlement } from './ledger.ts'
export type { StoredModelOverride, StoredProvider, StoredProviderModel } from './providers.ts'
export { INITIAL_ROW, type StoredRequest } from './request-columns.ts'
export type { RequestFilter } from './request-index.ts'
export type { RequestPage } from './request-log.ts'
export type { Restored } from './restore.ts'
export type { StoredState } from './settings.ts'
export { StoreError, type StoreErrorCode } from './store-error.ts'
export type { UsageFilter } from './usage.ts'

export type Writes = typeof writes
type Reads = typeof reads
type ArgsOf<F> = F extends (db: never, ...args: infer A) => unknown ? A : never
type ResultOf<F> = F extends (...args: never[]) => infer R ? R : never

/** Goes through the whole ledger, for seconds where it is long: in a thread of its own, so that no other read waits. */
const ALONE: ReadonlySet<keyof Reads> = new Set(['checkTotals'])

export interface Store {
  /** Set when this start put a backup in the place of the database: a damaged or missing one, or because it was asked to. */
  readonly restored: Restored | null
  /** Resolves once the change is durable. Rejects with a StoreError, and then nothing of it was done. */
  write<K extends keyof Writes>(op: K, ...args: ArgsOf<Writes[K]>): Promise<ResultOf<Writes[K]>>
  /** Sees every write that was answered before it was called. Rejects with a StoreError. */
  read<K extends keyof Reads>(op: K, ...args: ArgsOf<Reads[K]>): Promise<ResultOf<Reads[K]>>
  /**
   * Writes a checked copy without kept prompts and answers into `backups/`, keeping the last 7 as far as they are not
   * too large. Reads and writes go on. Closing the store breaks it off.
   */
  backup(): Promise<StoredBackup>
  backups(): Promise<StoredBackups>
  /** Breaks off a backup that is being made; whoever waits for it gets a StoreError. */
  abortBackup(): Promise<void>
  /** Lets a backup take the database's place at the next start, once it is found good. */
  scheduleRestore(id: string): Promise<StoredBackups | RestoreRefusal>
  /** Keeps the database after all, if it is this backup that is marked. */
  cancelRestore(id: string): Promise<StoredBackups | RestoreRefusal>
  /** Finishes what was asked before but for backups, folds the write-ahead log into the database and ends both threads. */
  close(): Promise<void>
}

export interface StoreOptions {
  /** An existing folder that this process alone owns. */
  dataDir: string
  log?: Log
  /** The store can no longer be used: a thread has died, or the database turned out to be damaged. Called once. */
  onFatal?: (error: StoreError) => void
}

/**
 * Opens the data dir's store, bringing it up to date. Rejects with a StoreError: `corrupt` when the database is
 * damaged and no backup is good, `newer` when a newer version has used it, `full` when the disk is.
 */
export async function openStore({ dataDir, log = silentLog, onFatal }: StoreOptions): Promise<Store> {
  let failed = false
  const fatal = (error: StoreError) => {
    if (failed) return
    failed = true
    log.error(`The store can no longer be used: ${error.message}`)
    onFatal?.(error)
  }
  const start = (role: 'writer' | 'reader') => startThread({ role, dataDir, log, onFatal: fatal })
  // Both begin at once to save time; the reader connects at its first read, when the writer has opened the database.
  const [writer, reader] = await bothOrNeither(start('writer'), start('reader'))
  const backups = new BackupQueue(dataDir)
  const alone = new Set<Promise<unknown>>()
  let closed: Promise<void> | null = null

  const readAlone = async <T>(op: string, args: unknown[]): Promise<T> => {
    const thread = await start('reader')
    return thread.call<T>(op, args).finally(() => thread.close())
  }
  const read = <T>(op: keyof Reads, args: unknown[]): Promise<T> => {
    if (closed || !ALONE.has(op)) return reader.call(op, args)
    const reading = readAlone<T>(op, args).finally(() => alone.delete(reading))
    alone.add(reading)
    return reading
  }
  const close = async () => {
    await backups.breakOff()
    await Promise.allSettled(alone)
    await reader.close()
    await writer.close()
  }
  return {
    restored: writer.restored,
    write: (op, ...args) => writer.call(op, args),
    read: (op, ...args) => read(op, args),
    backup: () => backups.make(),
    backups: () => backups.list(),
    abortBackup: () => backups.breakOff(),
    scheduleRestore: (id) => backups.mark(id),
    cancelRestore: (id) => backups.unmark(id),
    close() {
      closed ??= close()
      return closed
    },
  }
}

async function bothOrNeither(...starting: [Promise<Thread>, Promise<Thread>]): Promise<[Thread, Thread]> {
  try {
    return await Promise.all(starting)
  } catch (error) {
    for (const thread of await Promise.allSettled(starting)) {
      if (thread.status === 'fulfilled') await thread.value.close()
    }
    throw error
  }
}
