// Owns how SQL text becomes a prepared statement, once per connection. Knows nothing of tables.
import type Sqlite from 'better-sqlite3'

export type Db = Sqlite.Database

/** What binds and what comes back: INTEGER and REAL are numbers, BLOB is bytes. Booleans are 0 and 1. */
export type SqlValue = string | number | Uint8Array | null

/**
 * A statement to be prepared on first use with each connection. The caller states the shapes its own SQL takes
 * (a tuple binds by position, an object by `@name`) and gives.
 */
export function statement<Bind extends SqlValue[] | object, Row = unknown>(sql: string) {
  const prepared = new WeakMap<Db, Sqlite.Statement<Bind, Row>>()
  return (db: Db): Sqlite.Statement<Bind, Row> => {
    const known = prepared.get(db)
    if (known) return known
    const fresh = db.prepare<Bind, Row>(sql)
    prepared.set(db, fresh)
    return fresh
  }
}

/** SQLite has no booleans. */
export function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0
}

/** The value of JSON text that this store itself wrote as a `T`; NULL gives null. */
export function fromJson<T>(text: string | null): T | null {
  if (text === null) return null
  const value: T = JSON.parse(text)
  return value
}
