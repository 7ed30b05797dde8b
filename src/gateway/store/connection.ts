// Owns how a connection is set up, and the checks of a database file. Knows nothing of tables.

import { closeSync, openSync, readSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { type Db, statement } from './statement.ts'
import { StoreError, toStoreError } from './store-error.ts'

const BUSY_TIMEOUT_MS = 5_000
const READER_CACHE_KIB = 64 * 1024
const WRITER_CACHE_KIB = 16 * 1024

/** The first bytes of every SQLite 3 database: https://www.sqlite.org/fileformat.html#the_database_header */
const MAGIC = 'SQLite format 3\0'

/** 4 MiB; the copying of a step is over in milliseconds. */
const PAGES_A_STEP = 1_000

const tables = statement<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
const schemaCookie = statement<[], unknown>('SELECT count(*) FROM sqlite_schema')

interface Pragma {
  name: string
  set: string
  /** What reading it back must give. */
  inForce: string | number
}

// Durable means: a committed charge survives a power cut. better-sqlite3 is built with a default of NORMAL for WAL,
// and fsync on macOS does not reach the platter without fullfsync (https://www.sqlite.org/pragma.html#pragma_fullfsync).
// Whoever closes last folds the log into the database, so this holds for every connection that can write.
const DURABLE: Pragma[] = [
  { name: 'synchronous', set: 'FULL', inForce: 2 },
  ...(process.platform === 'darwin'
    ? [
        { name: 'fullfsync', set: '1', inForce: 1 },
        { name: 'checkpoint_fullfsync', set: '1', inForce: 1 },
      ]
    : []),
]

const WRITER: Pragma[] = [
  { name: 'journal_mode', set: 'WAL', inForce: 'wal' },
  ...DURABLE,
  { name: 'foreign_keys', set: 'ON', inForce: 1 },
  // What is deleted is overwritten where that costs nothing; the pages that it frees are given back soon after.
  { name: 'secure_delete', set: 'FAST', inForce: 2 },
]

const READER: Pragma[] = [{ name: 'query_only', set: 'ON', inForce: 1 }]

/** The one writing connection to an existing file. Throws when a promise of durability is not in force. */
export function connectWriter(path: string): Db {
  return connect(path, {}, WRITER, WRITER_CACHE_KIB)
}

/** A connection that cannot write. */
export function connectReader(path: string): Db {
  return connect(path, { readonly: true }, READER, READER_CACHE_KIB)
}

/** What is wrong with a file as a database; null when nothing is. Throws when it cannot be looked at. */
export function damageOf(path: string, thoroughness: 'quick_check' | 'integrity_check'): string | null {
  if (!beginsLikeDatabase(path)) return 'it does not begin like a database'
  try {
    return connectAnd(path, (db) => {
      const findings = db.pragma(`${thoroughness}(1)`, { simple: true })
      if (findings !== 'ok') return String(findings)
      return db.pragma('user_version', { simple: true }) === 0 ? 'it holds no ledger' : null
    })
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (error.code === 'corrupt') return error.message
    throw error
  }
}

/** The same, table by table: the thread can be ended between two of them. */
export function damageOfTables(path: string): string | null {
  return connectAnd(path, (db) => {
    for (const table of tables(db).all()) {
      const findings = db.pragma(`integrity_check(${table.name})`, { simple: true })
      if (findings !== 'ok') return String(findings)
    }
    return null
  })
}

/** Pages that hold nothing any more. */
export function freePages(db: Db): number {
  return Number(db.pragma('freelist_count', { simple: true }))
}

/** Copies what the database holds at this moment into an empty file, in steps. */
export async function copySnapshot(from: string, to: string): Promise<void> {
  const db = connect(from, { readonly: true }, READER, READER_CACHE_KIB)
  try {
    // Without a read under way, each commit of another connection would begin the copy anew.
    db.exec('BEGIN')
    schemaCookie(db).get()
    await db.backup(to, { progress: () => PAGES_A_STEP })
  } finally {
    db.close()
  }
}

/** Gives `use` a plain connection for as long as it runs. */
export function connectAnd<T>(path: string, use: (db: Db) => T): T {
  const db = connect(path, {}, DURABLE, WRITER_CACHE_KIB)
  try {
    return use(db)
  } finally {
    db.close()
  }
}

function connect(path: string, options: Sqlite.Options, pragmas: Pragma[], cacheKib: number): Db {
  const db = new Sqlite(path, { ...options, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
  try {
    for (const pragma of pragmas) putInForce(db, pragma)
    db.pragma(`cache_size = -${cacheKib}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function putInForce(db: Db, { name, set, inForce }: Pragma): void {
  db.pragma(`${name} = ${set}`)
  const found = db.pragma(name, { simple: true })
  if (found !== inForce) {
    throw new StoreError('failed', `SQLite did not accept ${name}: it is ${found} and must be ${inForce}.`)
  }
}

function beginsLikeDatabase(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(MAGIC.length)
    return readSync(file, start) === MAGIC.length && start.toString('latin1') === MAGIC
  } finally {
    closeSync(file)
  }
}
