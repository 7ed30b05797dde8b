import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
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
