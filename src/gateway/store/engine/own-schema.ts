// Whether a file has the tables that Tollgate makes, and nothing else: a trigger, a constraint or a virtual table of someone
// else could do anything with a change of a row, and without a column no start would succeed.
import { isDeepStrictEqual } from 'node:util'
import Sqlite from 'better-sqlite3'
import { migrate, migrations, schemaVersion } from './migrations.ts'
import { type Db, statement } from './statement.ts'
import { isReplacedView } from './views.ts'

interface Entry {
  type: string
  name: string
  tbl_name: string
  /** Null for the index of a constraint. */
  sql: string | null
}

/** SQLite adds its own tables: for AUTOINCREMENT, and to plan queries. */
const schema = statement<[], Entry>(`
  SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name`)

/** Compares with what the migrations up to its own version make. Throws a StoreError for a newer one. */
export function hasOwnSchema(db: Db): boolean {
  const fresh = new Sqlite(':memory:')
  try {
    migrate(fresh, 0, migrations.slice(0, schemaVersion(db)))
    return isDeepStrictEqual(withoutViews(db), withoutViews(fresh))
  } finally {
    fresh.close()
  }
}

/** Each start replaces the views. */
function withoutViews(db: Db): Entry[] {
  return schema(db)
    .all()
    .filter(({ type, name }) => !(type === 'view' && isReplacedView(name)))
}
