// The store's interface to the rest of the gateway: named operations, run by a writer thread and reader threads.
import { syncFolder } from '../platform/durable-files.ts'
import { type Log, silentLog } from '../platform/log.ts'
import type { Reads, Writes } from './calls.ts'
import { BackupQueue } from './engine/backup-queue.ts'
import { createPrivateFile, damageNotePath, regularFile } from './engine/files.ts'
import type { Restoration } from './engine/restore.ts'
import { ReaderThreads, startThread, type ThreadOptions } from './engine/thread.ts'
import type { StoreError } from './sql/store-error.ts'

export type { Writes } from './calls.ts'
export type {
  BackupRefusal,
  RestoreChoice,
  StoredBackup,
  StoredBackups,
} from './engine/backup-tasks.ts'
export type { Restoration } from './engine/restore.ts'
export type { ConfirmRefusal, CostConfirmation, StoredConfirmation } from './ledger/cost-confirmation.ts'
export type { StoredIdempotency } from './ledger/idempotency.ts'
export type { RefusedCount, RefusedRequest, Settlement } from './ledger/ledger.ts'
export { HOLD_MS, type Hold, STRICT_HOLD_MS, type StoredHold } from './ledger/ledger.ts'
export type { RequestFilter } from './listings/request-filter.ts'
export type { RequestOrder, RequestPage, StoredAnswer, TotalsFilter } from './listings/request-log.ts'
export type { RecentSession, StoredSession } from './listings/sessions.ts'
export type { UsageFilter, UsageSum } from './listings/usage.ts'
export type { Call } from './part.ts'
export {
  type FeatureFields,
  INITIAL_ROW,
  type NewRequest,
  type StoredRequest,
} from './rows/request-columns.ts'
export type { NewSession } from './rows/session-rows.ts'
export type { NewKey, StoredKey } from './settings/keys.ts'
export {
  createProvider,
  type StoredModelOverride,
  type StoredProvider,
  type StoredProviderModel,
} from './settings/providers.ts'
export type { StoredState } from './settings/settings.ts'
export { StoreError, type StoreErrorCode } from './sql/store-error.ts'
export type { SpendPart, SpendSum } from './sums/spend-sums.ts'

type ArgsOf<F> = F extends (db: never, ...args: infer A) => unknown ? A : never
type ResultOf<F> = F extends (...args: never[]) => infer R ? R : never

/** Short reads of the start and of admissions, for which no reader need start. */
const READS_OF_WRITER: ReadonlySet<keyof Reads> = new Set([
  'loadState',
  'recentSessions',
  'spendIn',
  'sessionSpend',
  'isCheckDue',
])

/** A write with its arguments. */
export type WriteCall<K extends keyof Writes> = readonly [op: K, ...args: ArgsOf<Writes[K]>]

export interface Store {
  /** Set when a backup was restored at this start: the database was damaged or missing, or the user chose to. */
  readonly restored: Restoration | null
  /** Resolves once the change is durable. Rejects with a StoreError; then nothing was changed. */
  write<K extends keyof Writes>(op: K, ...args: ArgsOf<Writes[K]>): Promise<ResultOf<Writes[K]>>
  /** Writes without urgency: the write may wait two milliseconds for others to share its commit with. */
  writeSoon<K extends keyof Writes>(op: K, ...args: ArgsOf<Writes[K]>): Promise<ResultOf<Writes[K]>>
  /** Sees every write that had resolved before the call. Rejects with a StoreError. */
  read<K extends keyof Reads>(op: K, ...args: ArgsOf<Reads[K]>): Promise<ResultOf<Reads[K]>>
  /** Like `read`, for what looks through the request log. Other reads do not wait for it. */
  scan<K extends keyof Reads>(op: K, ...args: ArgsOf<Reads[K]>): Promise<ResultOf<Reads[K]>>
  readonly backups: Pick<BackupQueue, keyof BackupQueue>
  /** Finishes all earlier operations except backups, checkpoints the write-ahead log and ends the threads. */
  close(): Promise<void>
}

export interface StoreOptions {
  /** An existing folder that only this process uses. */
  dataDir: string
  /** The version of the program; kept in the database for an older program that finds it newer. */
  version?: string
  log?: Log
  /** The store can no longer be used: a thread has died, or the database turned out to be damaged. Called once. */
  onFatal?: (error: StoreError) => void
  /** How a thread of it starts; by default as one of Node's workers. */
  startWorker?: ThreadOptions['startWorker']
}

/**
 * Opens and migrates the data dir's store. Rejects with a StoreError: `corrupt` when the database is
 * damaged and no backup is good, `newer` when a newer version has used it, `full` when the disk is.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, log = silentLog, onFatal, version, startWorker } = options
  let failed = false
  const fatal = (error: StoreError) => {
    if (failed) return
    failed = true
    log.error(`The store can no longer be used: ${error.message}`)
    if (error.code === 'corrupt') noteDamage(dataDir, log)
    onFatal?.(error)
  }
  const start = (role: 'writer' | 'reader') =>
    startThread({ role, dataDir, log, onFatal: fatal, version, startWorker })
  const writer = await start('writer')
  // An update may replace the program's files while it runs, so that no thread can start any more.
  const readers = new ReaderThreads(() => start('reader'), null)
  const scanners = new ReaderThreads(() => start('reader'))
  const backups = new BackupQueue(dataDir)
  let closed: Promise<void> | null = null

  const close = async () => {
    await backups.abort()
    await Promise.all([readers.close(), scanners.close()])
    await writer.close()
  }
  return {
    restored: writer.restored,
    write: (op, ...args) => writer.call(op, args),
    writeSoon: (op, ...args) => writer.call(op, args, true),
    read: (op, ...args) => (READS_OF_WRITER.has(op) ? writer.call(op, args) : readers.read(op, args)),
    scan: (op, ...args) => scanners.read(op, args),
    backups,
    close() {
      closed ??= close()
      return closed
    },
  }
}

/** Makes the next start check the whole database, and replace it by a backup. */
function noteDamage(dataDir: string, log: Log): void {
  try {
    if (!regularFile(damageNotePath(dataDir))) createPrivateFile(damageNotePath(dataDir))
    syncFolder(dataDir)
  } catch (err) {
    log.warn('The next start may not check the whole database, because a note could not be written.', { err })
  }
}
