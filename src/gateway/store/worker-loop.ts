// The loops of the two threads. The writer commits all queued operations in one transaction, so that many charges share
// one wait for the disk.
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import type { Call, FromThread, Reply, ToThread } from './messages.ts'
import { type Db, statement } from './statement.ts'
import { type StoreError, toStoreError } from './store-error.ts'

type Operation = (db: Db, ...args: never[]) => unknown
export type Operations = Readonly<Record<string, Operation>>

/** Operations per commit, so that the first in a batch does not wait long for the last. */
const MAX_BATCH = 500

const begin = statement<[]>('BEGIN IMMEDIATE')
const commit = statement<[]>('COMMIT')
const rollback = statement<[]>('ROLLBACK')
const savepoint = statement<[]>('SAVEPOINT op')
const release = statement<[]>('RELEASE op')
const undo = statement<[]>('ROLLBACK TO op')

/**
 * Answers reads one by one until it is closed. Connects at the first one, so that the thread can start before there is
 * a database.
 */
export function serveReads(port: MessagePort, connect: () => Db, operations: Operations): void {
  let db: Db | null = null
  port.on('message', (message: ToThread) => {
    if (message === 'close') {
      db?.close()
      port.close()
      return
    }
    const reply = answer(message, () => {
      db ??= connect()
      return run(db, operations, message)
    })
    post(port, { type: 'replies', replies: [reply] })
  })
}

/** Answers writes in batches, each after its commit, until it is closed. */
export function serveWrites(port: MessagePort, db: Db, operations: Operations): void {
  port.on('message', (first: ToThread) => {
    const { calls, closing } = drain(port, first)
    if (calls.length > 0) post(port, { type: 'replies', replies: runBatch(db, operations, calls) })
    if (!closing) return
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

function drain(port: MessagePort, first: ToThread): { calls: Call[]; closing: boolean } {
  const calls: Call[] = []
  let message: ToThread | undefined = first
  while (message !== undefined) {
    if (message === 'close') return { calls, closing: true }
    calls.push(message)
    message = calls.length < MAX_BATCH ? receiveMessageOnPort(port)?.message : undefined
  }
  return { calls, closing: false }
}

/** Runs all calls in one transaction; should that fail as a whole, each in its own. */
export function runBatch(db: Db, operations: Operations, calls: readonly Call[]): Reply[] {
  try {
    return runTogether(db, operations, calls)
  } catch (thrown) {
    if (calls.length === 1) return calls.map(({ id }) => failure(id, toStoreError(thrown)))
    return calls.flatMap((call) => runBatch(db, operations, [call]))
  }
}

function runTogether(db: Db, operations: Operations, calls: readonly Call[]): Reply[] {
  begin(db).run()
  try {
    const replies = calls.map((call) =>
      answer(
        call,
        () => runGuarded(db, operations, call),
        () => db.inTransaction,
      ),
    )
    commit(db).run()
    return replies
  } catch (error) {
    if (db.inTransaction) rollback(db).run()
    throw error
  }
}

/** A failing call undoes only its own changes. */
function runGuarded(db: Db, operations: Operations, call: Call): unknown {
  savepoint(db).run()
  try {
    const value = run(db, operations, call)
    release(db).run()
    return value
  } catch (error) {
    // On a full or failing disk, SQLite rolls back the whole transaction itself.
    if (db.inTransaction) {
      undo(db).run()
      release(db).run()
    }
    throw error
  }
}

function run(db: Db, operations: Operations, call: Call): unknown {
  const operation = Object.hasOwn(operations, call.op) ? operations[call.op] : undefined
  if (!operation) throw new Error(`the store has no operation ${call.op}`)
  return Reflect.apply(operation, undefined, [db, ...call.args])
}

/** The reply to a call. Rethrows an error that affects more than this one call. */
function answer(call: Call, work: () => unknown, isOwnFailure: () => boolean = () => true): Reply {
  try {
    return { id: call.id, value: work() }
  } catch (thrown) {
    if (!isOwnFailure()) throw thrown
    return failure(call.id, toStoreError(thrown))
  }
}

function failure(id: number, { code, message }: StoreError): Reply {
  return { id, error: { code, message } }
}

function post(port: MessagePort, message: FromThread): void {
  port.postMessage(message)
}
