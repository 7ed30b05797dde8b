// A migration that has landed never changes: data folders exist that have had it. What each does to a new database and to that
// of the first release is written down here.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { tempDirForTest } from '../testing/temp-dir.ts'
import { connectWriter } from './engine/connection.ts'
import { databasePath } from './engine/files.ts'
import { migrate, migrations } from './engine/migrations.ts'
import type { Db } from './engine/statement.ts'
import { getFacts, unpackRelease } from './testing/releases.ts'

const FROZEN = join(import.meta.dirname, 'fixtures/frozen-migrations.json')
const FIRST_RELEASE = '0.1.0'

test('no migration has changed since it landed; a new one is added to fixtures/frozen-migrations.json', () => {
  const empty = new Sqlite(':memory:')
  const dataDir = tempDirForTest()
  unpackRelease(FIRST_RELEASE, dataDir)
  const released = connectWriter(databasePath(dataDir))
  const before = Number(released.pragma('user_version', { simple: true }))
  const { recordedAt } = getFacts(FIRST_RELEASE)
  const landed = migrations.map(({ name }, index) => {
    const known = migrations.slice(0, index + 1)
    migrate(empty, 1, known)
    const schema = hash(readSchema(empty))
    if (index < before) return { name, schema }
    migrate(released, recordedAt, known)
    return { name, schema, rows: hash(listRows(released)) }
  })
  empty.close()
  released.close()
  // A line that differs is a migration that was edited: undo that, and append another one. A line that is missing in the
  // file belongs to a new migration: copy it there.
  expect(landed).toEqual(JSON.parse(readFileSync(FROZEN, 'utf8')))
})

function readSchema(db: Db): unknown[] {
  return db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
}

function listRows(db: Db): unknown[] {
  const tables = db
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
  return tables.map(({ name }) => {
    const rows = db.prepare(`SELECT * FROM "${name}"`).all()
    return [name, rows.map((row) => JSON.stringify(row)).sort()]
  })
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}
