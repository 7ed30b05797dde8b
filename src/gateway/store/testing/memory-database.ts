// The real operations of the store on a database in memory, without a thread.
import Sqlite from 'better-sqlite3'
import '../../compose/store-worker.ts'
import { migrate } from '../engine/migrations.ts'
import { createViews } from '../engine/views.ts'
import { listOperations, type Result, runReads, Writer } from '../engine/worker.ts'
import type { Call } from '../part.ts'
import { noteBegin } from '../settings/damage-check.ts'
import { type Db, statement } from '../sql/statement.ts'
import type { StoreErrorCode } from '../sql/store-error.ts'
import { defineTimings } from '../sums/timings.ts'

const addSpend = statement<[number]>('UPDATE account SET spend_nano = spend_nano + ?')
const { reads, writes } = listOperations()

export class MemoryDatabase {
  readonly #db: Db
  readonly #writer: Writer

  /** `bytes`: those of `createDatabase`, or of `bytes()`. */
  constructor(bytes: Buffer) {
    this.#db = new Sqlite(bytes)
    defineTimings(this.#db)
    this.#writer = new Writer(this.#db, { ...reads, ...writes })
  }

  bytes(): Buffer {
    return this.#db.serialize()
  }

  /** Commits the calls in one transaction, as the writer's thread does. */
  run(calls: readonly Call[]): Result[] {
    return this.#writer.run(calls)
  }

  /** The result of one read. */
  read(call: Call): Result {
    return runReads(this.#db, reads, [call])[0]
  }

  /** To be called when a process opens the database. */
  begin(): void {
    noteBegin(this.#db)
  }

  /** Makes it a database in which so much was spent before, in nano-dollars. */
  addPastSpend(nano: number): void {
    addSpend(this.#db).run(nano)
  }

  close(): void {
    this.#db.close()
  }
}

/** The results of a batch when all of it fails. */
export function failAll(calls: readonly Call[], code: StoreErrorCode): Result[] {
  return calls.map(() => ({ error: { code, message: `The store is ${code}.` } }))
}

/** The bytes of a new database. */
export function createDatabase(now: number): Buffer {
  const db = new Sqlite(':memory:')
  migrate(db, now)
  createViews(db)
  noteBegin(db)
  const bytes = db.serialize()
  db.close()
  return bytes
}
