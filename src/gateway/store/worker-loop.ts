// The loops of the two threads. The writer commits the calls of a batch in one transaction, so that many charges share one
// wait for the disk.
import type { MessagePort } from 'node:worker_threads'
import type { Call, FromThread, Result, ToThread } from './messages.ts'
import { type Db, statement } from './statement.ts'
import { type StoreError, toStoreError } from './store-error.ts'
import { forgetTexts } from './texts.ts'

type Operation = (db: Db, ...args: never[]) => unknown
export type Operations = Readonly<Record<string, Operation>>

const begin = statement<[]>('BEGIN IMMEDIATE')
const commit = statement<[]>('COMMIT')
const rollback = statement<[]>('ROLLBACK')
const savepoint = statement<[]>('SAVEPOINT op')
const release = statement<[]>('RELEASE op')
const undo = statement<[]>('ROLLBACK TO op')

/** Answers reads until it is closed. Connects at the first one, so that the thread can start before there is a database. */
export function serveReads(port: MessagePort, connect: () => Db, operations: Operations): void {
  let db: Db | null = null
  port.on('message', (message: ToThread) => {
    if (message === 'close') {
      db?.close()
      port.close()
      return
    }
    const results = message.map((call, at) => {
      try {
        db ??= connect()
        return { at, value: run(db, operations, call) }
      } catch (thrown) {
        return failure(at, toStoreError(thrown))
      }
    })
    post(port, { type: 'results', results })
  })
}

/** Answers batches of writes, each after its commit, until it is closed. */
export function serveWrites(port: MessagePort, db: Db, operations: Operations): void {
  port.on('message', (message: ToThread) => {
    if (message !== 'close') {
      post(port, { type: 'results', results: runBatch(db, operations, message) })
      return
    }
    closeWriter(db)
    port.close()
  })
}

function closeWriter(db: Db): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // What is committed is safe in the write-ahead log, which the next start reads.
  }
  db.close()
}

/**
 * Runs all calls in one transaction. Should one fail, all are run again, so that it undoes only its own changes; should
 * the transaction fail as a whole, each is run in its own. While another program locks the database, none can succeed.
 */
export function runBatch(db: Db, operations: Operations, calls: readonly Call[]): Result[] {
  try {
    return commitAll(db, calls, (call, at) => succeed(at, run(db, operations, call)))
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (calls.length === 1 || error.code === 'locked') return calls.map((_, at) => failure(at, error))
  }
  try {
    return commitAll(db, calls, (call, at) => runGuarded(db, operations, call, at))
  } catch {
    return calls.flatMap((call, at) => runBatch(db, operations, [call]).map((result) => ({ ...result, at })))
  }
}

/** In one transaction. */
function commitAll(
  db: Db,
  calls: readonly Call[],
  runCall: (call: Call, at: number) => Result | null,
): Result[] {
  begin(db).run()
  try {
    const results: Result[] = []
    for (const [at, call] of calls.entries()) {
      const result = runCall(call, at)
      if (result) results.push(result)
    }
    commit(db).run()
    return results
  } catch (error) {
    // On a full or failing disk, SQLite rolls back the whole transaction itself.
    if (db.inTransaction) rollback(db).run()
    forgetTexts(db)
    throw error
  }
}

/** A failing call undoes only its own changes. Throws if it ends the whole transaction. */
function runGuarded(db: Db, operations: Operations, call: Call, at: number): Result | null {
  savepoint(db).run()
  try {
    const value = run(db, operations, call)
    release(db).run()
    return succeed(at, value)
  } catch (error) {
    if (!db.inTransaction) throw error
    undo(db).run()
    release(db).run()
    forgetTexts(db)
    return failure(at, toStoreError(error))
  }
}

function run(db: Db, operations: Operations, [op, ...args]: Call): unknown {
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined
  if (!operation) throw new Error(`the store has no operation ${op}`)
  return Reflect.apply(operation, undefined, [db, ...args])
}

function succeed(at: number, value: unknown): Result | null {
  return value === undefined ? null : { at, value }
}

function failure(at: number, { code, message }: StoreError): Result {
  return { at, error: { code, message } }
}

function post(port: MessagePort, message: FromThread): void {
  port.postMessage(message)
}
