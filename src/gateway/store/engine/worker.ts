// What the threads of the store run. The build has one file for them, and the role selects which. The writer commits the calls of a
// batch in one transaction, so that many charges share one wait for the disk (WAL, `synchronous=FULL`) and the event loop waits for none.
import type { MessagePort } from 'node:worker_threads'
import { createLog, type LogFields, type LogLevel } from '../../platform/log.ts'
import { reads, writes } from '../calls.ts'
import { type Call, listParts, type Operations, runCall } from '../part.ts'
import { noteCleanEnd } from '../settings/damage-check.ts'
import { type Db, statement } from '../sql/statement.ts'
import { type StoreError, type StoreErrorData, toStoreError } from '../sql/store-error.ts'
import { noteProgramVersion } from './backup.ts'
import { type BackupTaskName, backupTasks } from './backup-tasks.ts'
import { openForReading } from './connection.ts'
import { openDatabase } from './open.ts'
import type { Restoration } from './restore.ts'

export type ThreadData =
  /** `version`: of the program. */
  | { role: 'writer' | 'reader'; dataDir: string; version?: string | undefined }
  /** Ends after its one task. */
  | { role: 'backup'; dataDir: string; task: BackupTaskName; args: unknown[] }

/** The calls of a batch are answered together, by one message; there is one batch at a time. */
export type ToThread = readonly Call[] | 'close'

/** Undefined for a call that has succeeded and returned nothing. */
export type Result = { value: unknown } | { error: StoreErrorData } | undefined

export type FromThread =
  | { type: 'ready'; restored: Restoration | null }
  /** The thread could not start; it ends now. */
  | { type: 'refused'; error: StoreErrorData }
  | { type: 'log'; level: LogLevel; message: string; fields: LogFields }
  /** All calls of the batch are done. The results are in their order. */
  | { type: 'results'; results: readonly Result[] }
  /** The result of a thread's one task. */
  | { type: 'done'; value: unknown }

/** Serves the port until it is closed, or runs one task. */
export async function runThread(port: MessagePort, data: ThreadData): Promise<void> {
  const { dataDir } = data
  const operations = listOperations()
  const post = (message: FromThread) => port.postMessage(message)
  const log = createLog({ write: (level, message, fields) => post({ type: 'log', level, message, fields }) })
  try {
    switch (data.role) {
      case 'writer': {
        const { db, restored } = openDatabase(dataDir, log, Date.now())
        if (data.version !== undefined) noteProgramVersion(db, data.version)
        serve(port, new Writer(db, { ...operations.reads, ...operations.writes }))
        post({ type: 'ready', restored })
        break
      }
      case 'reader': {
        const db = openForReading(dataDir)
        serve(port, { run: (calls) => runReads(db, operations.reads, calls), close: () => db.close() })
        post({ type: 'ready', restored: null })
        break
      }
      case 'backup': {
        const done = Reflect.apply(backupTasks[data.task], undefined, [dataDir, Date.now(), ...data.args])
        post({ type: 'done', value: await done })
        port.close()
      }
    }
  } catch (thrown) {
    const { code, message } = toStoreError(thrown)
    post({ type: 'refused', error: { code, message } })
    port.close()
  }
}

/** The operations of the core and of the parts of features. */
export function listOperations(): Record<'reads' | 'writes', Operations> {
  const parts = listParts()
  return {
    reads: Object.assign({}, reads, ...parts.map((part) => part.reads)),
    writes: Object.assign({}, writes, ...parts.map((part) => part.writes)),
  }
}

const begin = statement<[]>('BEGIN IMMEDIATE')
const commit = statement<[]>('COMMIT')
const rollback = statement<[]>('ROLLBACK')

interface Runner {
  run(calls: readonly Call[]): Result[]
  /** Called after each answer. */
  checkpoint?(): void
  close(): void
}

/** Answers batches until it is closed. */
function serve(port: MessagePort, runner: Runner): void {
  port.on('message', (message: ToThread) => {
    if (message !== 'close') {
      const answer: FromThread = { type: 'results', results: runner.run(message) }
      port.postMessage(answer)
      return runner.checkpoint?.()
    }
    runner.close()
    port.close()
  })
}

/** After so many calls, the write-ahead log is copied into the database, when no answer waits for it. */
const CALLS_PER_CHECKPOINT = 500
/** The limit in pages at which a commit does so itself. */
const MAX_LOG_PAGES = 8_000

/** Runs the batches of the writer. */
export class Writer implements Runner {
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
    try {
      noteCleanEnd(this.#db)
      this.#db.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // Committed data is safe in the write-ahead log, which the next start reads.
    }
    this.#db.close()
  }
}

/** Runs each call by itself. */
export function runReads(db: Db, operations: Operations, calls: readonly Call[]): Result[] {
  return calls.map((call) => {
    try {
      return { value: runCall(db, operations, call) }
    } catch (thrown) {
      return fail(toStoreError(thrown))
    }
  })
}

/**
 * Runs all calls in one transaction. Should one fail, or the transaction as a whole, each is run in its own. While another
 * program locks the database, none can succeed.
 */
export function runBatch(db: Db, writes: Operations, calls: readonly Call[]): Result[] {
  try {
    return commitAll(db, () =>
      calls.map((call) => {
        const value = runCall(db, writes, call)
        return value === undefined ? undefined : { value }
      }),
    )
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (calls.length === 1 || error.code === 'locked') return calls.map(() => fail(error))
    return calls.flatMap((call) => runBatch(db, writes, [call]))
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

function fail({ code, message }: StoreError): Result {
  return { error: { code, message } }
}
