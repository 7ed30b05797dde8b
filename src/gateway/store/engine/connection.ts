// Connections with their pragmas, and the checks of a database file.

import { closeSync, openSync, readSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { splitWords } from '../../../shared/values/text.ts'
import { type Db, statement } from '../sql/statement.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import { defineTimings } from '../sums/timings.ts'
import { databasePath, regularFile } from './files.ts'

const BUSY_TIMEOUT_MS = 5_000
const READER_CACHE_KIB = 64 * 1024
const WRITER_CACHE_KIB = 16 * 1024

/** The first bytes of every SQLite 3 database: https://www.sqlite.org/fileformat.html#the_database_header */
const MAGIC = 'SQLite format 3\0'

/** Where a file has its `user_version`, from the same page. */
const USER_VERSION_OFFSET = 60

/** 4 MiB, which are copied within milliseconds. */
const PAGES_PER_STEP = 1_000

const tables = statement<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
const schemaCookie = statement<[], unknown>('SELECT count(*) FROM sqlite_schema')

interface Pragma {
  name: string
  set: string
  /** The value that reading it back must return. */
  expected: string | number
}

// Durable means: a committed charge survives a power cut. better-sqlite3 is built with a default of NORMAL for WAL,
// and fsync on macOS does not reach the platter without fullfsync (https://www.sqlite.org/pragma.html#pragma_fullfsync).
// The last connection to close checkpoints the log, so this applies to every connection that can write.
const DURABLE: Pragma[] = [
  { name: 'synchronous', set: 'FULL', expected: 2 },
  ...(process.platform === 'darwin'
    ? [
        { name: 'fullfsync', set: '1', expected: 1 },
        { name: 'checkpoint_fullfsync', set: '1', expected: 1 },
      ]
    : []),
]

const WRITER: Pragma[] = [
  { name: 'journal_mode', set: 'WAL', expected: 'wal' },
  ...DURABLE,
  { name: 'foreign_keys', set: 'ON', expected: 1 },
  // Deleted content is overwritten where that costs no extra I/O; the freed pages are released soon after.
  { name: 'secure_delete', set: 'FAST', expected: 2 },
]

const READER: Pragma[] = [{ name: 'query_only', set: 'ON', expected: 1 }]

/** The one writing connection to an existing file. Throws when SQLite does not accept a pragma of durability. */
export function connectWriter(path: string): Db {
  return connect(path, {}, WRITER, WRITER_CACHE_KIB)
}

/** A connection that cannot write. */
export function connectReader(path: string): Db {
  return connect(path, { readonly: true }, READER, READER_CACHE_KIB)
}

/** Opens the database for another thread than the store's own. Call `close` of the result when it is no longer needed. */
export function openForReading(dataDir: string): Db {
  return connectReader(databasePath(dataDir))
}

/**
 * What is wrong with a file as a database; null when nothing is. Throws when it cannot be read. Without a
 * thoroughness, only its first page is checked.
 */
export function describeDamage(
  path: string,
  thoroughness: 'quick_check' | 'integrity_check' | null,
): string | null {
  if (!hasDatabaseHeader(path)) return 'it does not have the header of a database'
  return findDamage(path, (db) => {
    const findings = thoroughness ? db.pragma(`${thoroughness}(1)`, { simple: true }) : 'ok'
    if (findings !== 'ok') return String(findings)
    return db.pragma('user_version', { simple: true }) === 0 ? 'it holds no ledger' : null
  })
}

function findDamage(path: string, find: (db: Db) => string | null): string | null {
  try {
    return withConnection(path, find)
  } catch (thrown) {
    const error = toStoreError(thrown)
    if (error.code === 'corrupt') return error.message
    throw error
  }
}

/** The file is shorter than its first page states, although no write-ahead log has the rest. */
function isTruncated(path: string): boolean {
  if (regularFile(`${path}-wal`)?.size) return false
  const bytes = withConnection(path, (db) => {
    const pages = Number(db.pragma('page_count', { simple: true }))
    return pages * Number(db.pragma('page_size', { simple: true }))
  })
  return bytes > (regularFile(path)?.size ?? 0)
}

/** Looks for damage table by table: the thread can be ended between two of them. `wanted`: only these, if they exist. */
export function damageOfTables(path: string, wanted?: readonly string[]): string | null {
  return findDamage(path, (db) => {
    for (const { name } of tables(db).all()) {
      if (wanted && !wanted.includes(name)) continue
      const findings = db.pragma(`integrity_check("${name.replaceAll('"', '""')}")`, { simple: true })
      if (findings !== 'ok') return String(findings)
    }
    return null
  })
}

/** Copies a snapshot of the database into an empty file, in steps. */
export async function copySnapshot(from: string, to: string): Promise<void> {
  const db = connect(from, { readonly: true }, READER, READER_CACHE_KIB)
  try {
    // Without an open read transaction, each commit of another connection would restart the copy.
    db.exec('BEGIN')
    schemaCookie(db).get()
    await db.backup(to, { progress: () => PAGES_PER_STEP })
  } finally {
    db.close()
  }
}

/** Calls `use` with a connection that is closed afterwards. */
export function withConnection<T>(path: string, use: (db: Db) => T): T {
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
    for (const pragma of pragmas) setPragma(db, pragma)
    db.pragma(`cache_size = -${cacheKib}`)
    defineTimings(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function setPragma(db: Db, { name, set, expected }: Pragma): void {
  db.pragma(`${name} = ${set}`)
  const found = db.pragma(name, { simple: true })
  if (found !== expected) {
    throw new StoreError('failed', `SQLite did not accept ${name}: it is ${found} and must be ${expected}.`)
  }
}

export function hasDatabaseHeader(path: string): boolean {
  return readBytes(path, 0, MAGIC.length).toString('latin1') === MAGIC
}

/** The number of migrations that the database of a file has had, without opening it. */
export function schemaOfFile(path: string): number {
  const bytes = readBytes(path, USER_VERSION_OFFSET, 4)
  return bytes.length === 4 ? bytes.readUInt32BE() : Infinity
}

function readBytes(path: string, position: number, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    return bytes.subarray(0, readSync(file, bytes, 0, length, position))
  } finally {
    closeSync(file)
  }
}

// The check of the database for damage. It reads everything, so the start checks only the first page, the length and the tables
// that it reads if the database is larger than 2 MB: it takes as long with ten million requests as with ten. The rest is checked in
// a separate thread, at most once a day and after an end that was not clean; SQLite's write-ahead log already undoes writes that a
// crash or a power cut interrupted. Damage found while the gateway runs ends it with an error and leaves the note `check-at-start`,
// so that the next start checks everything.

/** A database of this size is checked in some 20 milliseconds. */
const SMALL_BYTES = 2 * 1024 * 1024

/** The tables that the start reads. All of them are small. */
const START_TABLES = splitWords(`
  meta settings keys account providers provider_models model_overrides`)

/** Describes the damage of the database that is to be opened; null when none is found. `whole`: reads all of it. */
export function damageAtStart(path: string, whole: boolean): string | null {
  if (whole || (regularFile(path)?.size ?? 0) <= SMALL_BYTES) return describeDamage(path, 'quick_check')
  return (
    describeDamage(path, null) ?? (isTruncated(path) ? 'it is truncated' : damageOfTables(path, START_TABLES))
  )
}
