// Tables with one entry per field of a stored row: the row's types, its SQL and how it is read follow from them.
import { type Db, type SqlValue, statement } from './statement.ts'

/** NULL stands for null, or for `absent`. */
export interface Codec<T> {
  // Methods, not properties: TypeScript compares their parameters bivariantly, so tables of any fields are accepted.
  encode(value: NonNullable<T>): SqlValue
  decode(stored: SqlValue): T
  absent?: T
}

/**
 * The writer of a field: the insertion of the row (`created`), or a patch too (`changed`, and `option` with a default for
 * new rows), or a separate statement (`recorded`).
 */
type Kind = 'created' | 'changed' | 'option' | 'recorded'

export interface Field<T, K extends Kind = Kind> {
  kind: K
  initial?: T
  codec: Codec<T> | undefined
}

/** SQLite stores strings, numbers and bytes itself; other types need a codec. */
type CodecArgument<T> = [T] extends [SqlValue] ? [] : [codec: Codec<T>]

export function created<T>(...[codec]: CodecArgument<T>): Field<T, 'created'> {
  return { kind: 'created', codec }
}

export function changed<T>(...[codec]: CodecArgument<T>): Field<T, 'changed'> {
  return { kind: 'changed', codec }
}

export function option<T>(initial: T, ...[codec]: CodecArgument<T>): Field<T, 'option'> {
  return { kind: 'option', initial, codec }
}

export function recorded<T>(...[codec]: CodecArgument<T>): Field<T, 'recorded'> {
  return { kind: 'recorded', codec }
}

export const flag = { encode: (value: boolean) => Number(value), decode: (stored: SqlValue) => stored === 1 }

export function json<T>(): Codec<T> {
  return {
    encode: (value) => JSON.stringify(value),
    decode: (stored) => JSON.parse(String(stored)),
  }
}

type Fields = Record<string, Field<unknown>>

export type RowOf<F> = { [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

type NamesOf<F, K extends Kind> = {
  [Name in keyof F]: F[Name] extends Field<infer _, K> ? Name : never
}[keyof F]

/** The fields that insert a row. */
export type NewRow<F> = Pick<RowOf<F>, NamesOf<F, 'created' | 'changed'>> &
  Partial<Pick<RowOf<F>, NamesOf<F, 'option'>>>

/** The fields that change a row. Absent members stay unchanged. */
export type RowPatch<F> = Partial<Pick<RowOf<F>, NamesOf<F, 'changed' | 'option'>>>

/** The row as SQLite binds and returns it, by the names in the table. */
type SqlRow = Record<string, SqlValue>

/** The queries of a table: its field `rpmLimit` is the column `rpm_limit`. Each query is to be made once. */
export function defineTable<F extends Fields>(table: string, fields: F) {
  const columns = Object.entries<Field<unknown>>(fields).map(([name, field]) => ({
    ...field,
    name,
    sql: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }))
  const inserted = columns.filter(({ kind }) => kind !== 'recorded')
  const patched = columns.filter(({ kind }) => kind === 'changed' || kind === 'option')
  const list = columns.map(({ name, sql }) => `${sql} AS ${name}`).join(', ')

  function decode(row: SqlRow): RowOf<F> {
    const values = columns.map(({ name, codec }) => {
      const stored = row[name] ?? null
      if (!codec) return [name, stored]
      return [name, stored === null ? (codec.absent ?? null) : codec.decode(stored)]
    })
    return Object.fromEntries(values)
  }

  function encode(values: NewRow<F>): SqlRow {
    const given: { readonly [name: string]: unknown } = values
    return Object.fromEntries(
      inserted.map(({ name, initial, codec }) => {
        const value = given[name] === undefined ? initial : given[name]
        return [
          name,
          codec && value !== null && value !== undefined ? codec.encode(value) : (value as SqlValue),
        ]
      }),
    )
  }

  /** Returns the changed row; null when there is none with the id, which is the last value. */
  function change<Bind extends SqlValue[]>(assignments: string) {
    const changed = statement<Bind, SqlRow>(
      `UPDATE ${table} SET ${assignments} WHERE id = ? RETURNING ${list}`,
    )
    return (db: Db, ...bind: Bind): RowOf<F> | null => {
      const row = changed(db).get(...bind)
      return row ? decode(row) : null
    }
  }

  const patch = statement<SqlRow>(
    `UPDATE ${table} SET ${patched.map(({ name, sql }) => `${sql} = @${name}`).join(', ')} WHERE id = @id`,
  )
  return {
    change,

    /** Whole rows. `rest` is the rest of the query after the name of the table. */
    select<Bind extends SqlValue[]>(rest: string) {
      const rows = statement<Bind, SqlRow>(`SELECT ${list} FROM ${table} ${rest}`)
      return (db: Db, ...bind: Bind): RowOf<F>[] =>
        rows(db)
          .all(...bind)
          .map(decode)
    },

    /** Throws a StoreError `conflict` when a unique value is taken. */
    insert(verb: 'INSERT' | 'INSERT OR REPLACE' = 'INSERT') {
      const names = inserted.map(({ sql }) => sql).join(', ')
      const places = inserted.map(({ name }) => `@${name}`).join(', ')
      const insert = statement<SqlRow>(`${verb} INTO ${table} (${names}) VALUES (${places})`)
      return (db: Db, values: NewRow<F>): void => void insert(db).run(encode(values))
    },

    /** Writes the fields of a row that a patch may change. */
    patch: (db: Db, values: NewRow<F>): void => void patch(db).run(encode(values)),

    /** A new row with the default of each field that is absent. */
    complete(values: NewRow<F>): RowOf<F> {
      const defaults = columns
        .filter(({ kind }) => kind === 'option')
        .map(({ name, initial }) => [name, initial])
      return { ...Object.fromEntries(defaults), ...values }
    },
  }
}
