import type Sqlite from 'better-sqlite3'
import { getOrCreate } from '../../platform/maps.ts'

export type Db = Sqlite.Database

/** Values as SQLite binds and returns them: INTEGER and REAL are returned as numbers, BLOB is bytes. There are no booleans. */
export type SqlValue = string | number | bigint | Uint8Array | null

/**
 * A statement that is prepared when it is first used with a connection. The caller states the types of the parameters
 * (a tuple binds by position, an object by `@name`) and of the rows. SQL that depends on the parts of features is a function.
 */
export function statement<Bind extends SqlValue[] | object, Row = unknown>(sql: string | (() => string)) {
  const prepared = new WeakMap<Db, Sqlite.Statement<Bind, Row>>()
  return (db: Db): Sqlite.Statement<Bind, Row> =>
    getOrCreate(prepared, db, () => db.prepare<Bind, Row>(typeof sql === 'string' ? sql : sql()))
}

/** A part of a WHERE clause with the values of its places. */
export interface Condition {
  sql: string
  values: readonly SqlValue[]
}

/** None for an absent value. */
export function condition(sql: string, value: SqlValue | undefined): Condition[] {
  return value === undefined ? [] : [{ sql, values: [value] }]
}

export function joinConditions(all: readonly Condition[]): { where: string; values: SqlValue[] } {
  const where = all.length > 0 ? `WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : ''
  return { where, values: all.flatMap(({ values }) => values) }
}

/** The pages of the file that nothing uses. */
export function freePages(db: Db): number {
  return Number(db.pragma('freelist_count', { simple: true }))
}
