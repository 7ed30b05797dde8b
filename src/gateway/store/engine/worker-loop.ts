// The loops of the two threads. The writer commits the calls of a batch in one transaction, so that many charges share one
// wait for the disk (WAL, `synchronous=FULL`) and the event loop waits for none. The writer also detects a hang of the main thread.
import type { MessagePort } from 'node:worker_threads'
import type { LogFields, LogLevel } from '../../platform/log.ts'
import { noteCleanEnd } from '../settings/damage-check.ts'
import { type Call, type Operations, runCall } from '../sql/part.ts'
import { type Db, statement } from '../sql/statement.ts'
import { type StoreError, type StoreErrorData, toStoreError } from '../sql/store-error.ts'
import type { BackupTaskName } from './backup-tasks.ts'
import type { Restoration } from './restore.ts'

export type ThreadData =
  /** `version`: of the program. */
  | { role: 'writer' | 'reader'; dataDir: string; version?: string | undefined }
  /** Ends after its one task. */
  | { role: 'backup'; dataDir: string; task: BackupTaskName; args: unknown[] }

/** The calls of a batch are answered together, by one message; there is one batch at a time. */
export type ToThread = readonly Call[] | 'close'

/** The result of the call at this position in the batch. */
export type Result = { at: number; value: unknown } | { at: number; error: StoreErrorData }

export type FromThread =
  | { type: 'ready'; restored: Restoration | null }
  /** The thread could not start; it ends now. */
  | { type: 'refused'; error: StoreErrorData }
  | { type: 'log'; level: LogLevel; message: string; fields: LogFields }
  /** All calls of the batch are done. Those without a result have succeeded and returned nothing. */
  | { type: 'results'; results: readonly Result[] }
  /** The result of a thread's one task. */
  | { type: 'done'; value: unknown }

const begin = statement<[]>('BEGIN IMMEDIATE')
const commit = statement<[]>('COMMIT')
const rollback = statement<[]>('ROLLBACK')
const savepoint = statement<[]>('SAVEPOINT op')
const release = statement<[]>('RELEASE op')
const undo = statement<[]>('ROLLBACK TO op')

/** Answers batches until it is closed. `afterwards` is called after each answer. */
export function serve(
  port: MessagePort,
  run: (calls: readonly Call[]) => Result[],
  close: () => void,
  afterwards?: () => void,
): void {
  port.on('message', (message: ToThread) => {
    if (message !== 'close') {
      const answer: FromThread = { type: 'results', results: run(message) }
      port.postMessage(answer)
      return afterwards?.()
    }
    close()
    port.close()
  })
}

/** After so many calls, the write-ahead log is copied into the database, when no answer waits for it. */
const CALLS_PER_CHECKPOINT = 500
/** The limit in pages at which a commit does so itself. */
const MAX_LOG_PAGES = 8_000

/** Runs the batches of the writer. */
export class Writer {
  readonly #db: Db
  readonly #writes: Operations
  #calls = 0

  constructor(db: Db, writes: Operations) {
    this.#db = db
    this.#writes = writes
    db.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`)
  }

  run(calls: readonly Call[]): Result[] {
    this.#calls += calls.length
    return runBatch(this.#db, this.#writes, calls)
  }

  /** To be called when the batch is answered. */
  checkpoint(): void {
    if (this.#calls < CALLS_PER_CHECKPOINT) return
    this.#calls = 0
    try {
      this.#db.pragma('wal_checkpoint(PASSIVE)')
    } catch {
      // Committed data is safe in the write-ahead log. A disk that fails is reported by the next commit.
    }
  }

  close(): void {
    closeWriter(this.#db)
  }
}

/** Runs reads. `connect` is called at the first one, so that the thread can start before there is a database. */
export function runReads(operations: Operations, connect: () => Db, calls: readonly Call[]): Result[] {
  return calls.map((call, at) => {
    try {
      return { at, value: runCall(connect(), operations, call) }
    } catch (thrown) {
      return failure(at, toStoreError(thrown))
    }
  })
}

function closeWriter(db: Db): void {
  try {
    noteCleanEnd(db)
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // Committed data is safe in the write-ahead log, which the next start reads.
  }
  db.close()
}

/**
 * Runs all calls in one transaction. Should one fail, all are run again, each on its own, so that it undoes only its own
 * changes; should the transaction fail as a whole, each is run in its own. While another program locks the database, none
 * can succeed.
 */
export function runBatch(db: Db, writes: Operations, calls: readonly Call[]): Result[] {
  try {
    return commitAll(db, () => calls.flatMap((call, at) => succeed(at, runCall(db, writes, call)) ?? []))
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (calls.length === 1 || error.code === 'locked') return calls.map((_, at) => failure(at, error))
  }
  try {
    return commitAll(db, () => calls.flatMap((call, at) => runGuarded(db, writes, call, at) ?? []))
  } catch {
    return calls.flatMap((call, at) => runBatch(db, writes, [call]).map((result) => ({ ...result, at })))
  }
}

function commitAll(db: Db, runCalls: () => Result[]): Result[] {
  begin(db).run()
  try {
    const results = runCalls()
    commit(db).run()
    return results
  } catch (error) {
    // SQLite itself rolls back the whole transaction on a full or failing disk.
    if (db.inTransaction) rollback(db).run()
    throw error
  }
}

/** A failing call undoes only its own changes. Throws if it ends the whole transaction. */
function runGuarded(db: Db, operations: Operations, call: Call, at: number): Result | null {
  savepoint(db).run()
  try {
    const value = runCall(db, operations, call)
    release(db).run()
    return succeed(at, value)
  } catch (error) {
    if (!db.inTransaction) throw error
    undo(db).run()
    release(db).run()
    return failure(at, toStoreError(error))
  }
}

function succeed(at: number, value: unknown): Result | null {
  return value === undefined ? null : { at, value }
}

function failure(at: number, { code, message }: StoreError): Result {
  return { at, error: { code, message } }
}
