import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import '../../compose/store-worker.ts'
import { listParts, registerParts, type StorePart } from '../part.ts'
import { StoreError } from '../sql/store-error.ts'
import { latestSchema, migrate, migrations } from './migrations.ts'

test('in a new database, every table is strict and money columns accept integers only', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  expect(db.pragma('user_version', { simple: true })).toBe(latestSchema())
  const loose = db
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0")
    .pluck()
    .all()
  expect(loose.filter((name) => !String(name).startsWith('sqlite_'))).toEqual([])
  expect(() => db.exec('UPDATE account SET spend_nano = 0.5')).toThrow(/cannot store REAL/)
  expect(() => db.exec('UPDATE account SET spend_nano = -1')).toThrow(/CHECK/)
  migrate(db, 2)
  expect(db.prepare("SELECT value FROM meta WHERE name = 'created_at'").pluck().get()).toBe('1')
  db.close()
})

test('migrations are applied once, in order, each in its own transaction', () => {
  const db = new Sqlite(':memory:')
  const first = { name: 'first', apply: 'CREATE TABLE first (a INTEGER) STRICT' }
  const broken = { name: 'broken', apply: 'CREATE TABLE second (a INTEGER) STRICT; SELECT nonsense' }
  expect(() => migrate(db, 1, [...migrations, first, broken])).toThrow('The migration "broken" failed')
  expect(db.pragma('user_version', { simple: true })).toBe(latestSchema([...migrations, first]))
  const second = {
    name: 'second',
    apply: 'ALTER TABLE first ADD COLUMN b INTEGER; CREATE TABLE second (a INTEGER) STRICT',
  }
  migrate(db, 1, [...migrations, first, second])
  expect(db.prepare('SELECT b FROM first').all()).toEqual([])
  expect(db.prepare('SELECT a FROM second').all()).toEqual([])
  db.close()
})

test('the parts of prompts become fields of a feature', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1, migrations.slice(0, 3))
  db.exec(`
    INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1);
    INSERT INTO requests (id, created_at, key_id, client_name, requested_model, stream, status, tokens_in, tokens_out,
      cost_status, reserved_nano, count, prompt)
    SELECT value, 1, 'key_a', '', 'small', 0, 'succeeded', 1, 1, 'exact', 0, 1, iif(value = 'old', NULL, '[1,2,0,0,0,3]')
    FROM json_each('["old", "req_1"]')`)
  migrate(db, 1)
  expect(db.prepare('SELECT id, features FROM requests ORDER BY seq').all()).toEqual([
    { id: 'old', features: null },
    { id: 'req_1', features: '{"prompt":[1,2,0,0,0,3]}' },
  ])
  db.close()
})

test('a feature brings its tables, and those of a later version are refused', () => {
  const parts = listParts()
  onTestFinished(() => registerParts(parts))
  const first = 'CREATE TABLE IF NOT EXISTS notes (a INTEGER) STRICT'
  const part: StorePart = { name: 'notes', migrations: [first] }
  const later = { ...part, migrations: [first, 'ALTER TABLE notes ADD COLUMN b INTEGER'] }
  const db = new Sqlite(':memory:')
  for (const version of [part, part, later, later]) {
    registerParts([version])
    migrate(db, 1)
  }
  expect(db.prepare('SELECT a, b FROM notes').all()).toEqual([])
  registerParts([part])
  expect(() => migrate(db, 1)).toThrow(StoreError)
  db.close()
})

test('the first tables of features are those of databases in which the core has created them', () => {
  const parts = listParts()
  onTestFinished(() => registerParts(parts))
  // The later ones have never been applied to such a database.
  registerParts(
    parts.map(({ migrations = [], ...part }) => ({ ...part, migrations: migrations.slice(0, 1) })),
  )
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  const tables = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
  const created = tables.all()
  db.exec("DELETE FROM meta WHERE name GLOB 'migrations of *'")
  migrate(db, 1)
  expect(tables.all()).toEqual(created)
  db.close()
})
