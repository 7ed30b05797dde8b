import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrate, migrations } from './migrations.ts'

test('from blank, every table is strict and money columns take whole numbers only', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  expect(db.pragma('user_version', { simple: true })).toBe(migrations.length)
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

test('a provider whose credential was kept before there could be several has one', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1, migrations.slice(0, 1))
  db.exec(`INSERT INTO providers (id, name, wire, priority, headers, credential_expected, created_at)
    VALUES ('with', 'With', 'openai', 1, '{}', 1, 1), ('without', 'Without', 'openai', 1, '{}', 0, 1)`)
  migrate(db, 2)
  expect(db.prepare('SELECT id, credential_count AS count FROM providers ORDER BY id').all()).toEqual([
    { id: 'with', count: 1 },
    { id: 'without', count: 0 },
  ])
  db.close()
})
