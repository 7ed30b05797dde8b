import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { nanoUsd } from '../../../shared/money/money.ts'
import { silentLog } from '../../platform/log.ts'
import { setRollupTimeZone } from '../sums/rollup-columns.ts'
import { usage } from '../sums/usage.ts'
import { NOON, openTestStore, recordRequest, sampleKey, temporary } from '../testing/samples.ts'
import { migrate, migrations } from './migrations.ts'
import { openDatabase } from './open.ts'
import { dropViews } from './views.ts'

test('in a new database, every table is strict and money columns accept integers only', () => {
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

test('a provider of the first version keeps its credential, and its API format under the new name', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1, migrations.slice(0, 1))
  db.exec(`INSERT INTO providers (id, name, wire, priority, headers, credential_expected, created_at)
    VALUES ('with', 'With', 'openai', 1, '{}', 1, 1), ('without', 'Without', 'gemini', 1, '{}', 0, 1)`)
  migrate(db, 2)
  expect(
    db.prepare('SELECT id, api_format AS format, credential_count AS count FROM providers ORDER BY id').all(),
  ).toEqual([
    { id: 'with', format: 'openai-chat', count: 1 },
    { id: 'without', format: 'gemini-generate', count: 0 },
  ])
  db.close()
})

test('sums without a client are retained, and summed up per day', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1, migrations.slice(0, 3))
  const noon = Date.UTC(2026, 2, 10, 12)
  const put = db.prepare<[number, string]>(`
    INSERT INTO rollups (bucket, key_id, model, provider, requests, tokens_in, tokens_out, cost_nano)
    VALUES (?, 'key_a', ?, 'p', 2, 10, 5, 100)`)
  db.exec(`INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1)`)
  put.run(noon, 'm')
  put.run(noon + 900_000, 'm')
  put.run(noon + 900_000, 'n')
  migrate(db, 2, migrations.slice(0, 4))
  const same = { key_id: 'key_a', provider: 'p', client: '' }
  const once = { ...same, requests: 2, tokens_in: 10, tokens_out: 5, cost_nano: 100 }
  expect(db.prepare('SELECT * FROM rollups').all()).toEqual([
    { bucket: noon, model: 'm', ...once },
    { bucket: noon + 900_000, model: 'm', ...once },
    { bucket: noon + 900_000, model: 'n', ...once },
  ])
  const bucket = Date.UTC(2026, 2, 10)
  expect(db.prepare('SELECT * FROM day_sums').all()).toEqual([
    { bucket, model: 'm', ...same, requests: 4, tokens_in: 20, tokens_out: 10, cost_nano: 200 },
    { bucket, model: 'n', ...once },
  ])
  expect(db.prepare("SELECT value FROM meta WHERE name = 'day_zone'").pluck().get()).toBe('UTC')
  db.close()
})

test('a request from before refused calls were counted represents one call', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1, migrations.slice(0, 7))
  db.exec(`
    INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1);
    INSERT INTO requests (id, created_at, key_id, requested_model, stream, status, cost_status, reserved_nano)
      VALUES ('req_1', 1, 'key_a', 'small', 0, 'refused', 'free', 0)`)
  migrate(db, 2, migrations.slice(0, 8))
  expect(db.prepare('SELECT id, count, last_at FROM requests').all()).toEqual([
    { id: 'req_1', count: 1, last_at: null },
  ])
  db.close()
})

test('a key that was created before has no last characters of its secret', () => {
  const db = new Sqlite(':memory:')
  const before = migrations.findIndex(({ name }) => name === 'last characters of secrets')
  migrate(db, 1, migrations.slice(0, before))
  db.exec("INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1)")
  migrate(db, 2)
  expect(db.prepare('SELECT id, secret_hint AS hint FROM keys').all()).toEqual([{ id: 'key_a', hint: null }])
  db.close()
})

test('the listing always reads the index of time and cost in its order', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  const plan = (where: string) =>
    db
      .prepare<[], { detail: string }>(
        `EXPLAIN QUERY PLAN SELECT seq FROM requests INDEXED BY requests_by_time ${where}
         ORDER BY created_at DESC, seq DESC LIMIT 50`,
      )
      .all()
      .map(({ detail }) => detail)
  expect(plan('')).toEqual(['SCAN requests USING COVERING INDEX requests_by_time'])
  expect(plan('WHERE cost_nano >= 5 AND (created_at, seq) < (9, 9)')).toEqual([
    'SEARCH requests USING COVERING INDEX requests_by_time (created_at<?)',
  ])
  db.close()
})

const WIDENED = 'errors, cached tokens and durations in the sums'

const { newDataDir } = temporary(onTestFinished)

test('sums of an earlier version get what the request rows know', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.write('setRollupTimeZone', 'Europe/Berlin')
  for (let i = 0; i < 40; i++)
    await recordRequest(
      store,
      `req_${i}`,
      { createdAt: NOON + i * 4_000_000, client: i % 3 === 0 ? null : 'curl/8.5' },
      {
        model: i % 4 === 0 ? null : 'small',
        provider: i % 5 === 0 ? null : 'sandbox',
        status: i % 5 === 0 ? 'failed' : 'succeeded',
        costNano: i % 6 === 0 ? null : nanoUsd(1),
        usage: { ...NO_USAGE, input: 8, cacheRead: 2, output: 5 },
      },
    )
  await store.close()

  const before = openDatabase(dataDir, silentLog, NOON).db
  const all = () => ['rollups', 'day_sums'].map((table) => before.prepare(`SELECT * FROM ${table}`).all())
  const written = all()
  // As the version before left it. SQLite drops no column that a view reads.
  dropViews(before)
  for (const table of ['rollups', 'day_sums'])
    for (const column of ['tokens_cached', 'errors', 'unpriced', 'timings'])
      before.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)
  before.pragma(`user_version = ${migrations.findIndex(({ name }) => name === WIDENED)}`)
  before.close()

  const upTo = migrations.slice(0, migrations.findIndex(({ name }) => name === WIDENED) + 1)
  const { db } = openDatabase(dataDir, silentLog, NOON, upTo)
  onTestFinished(() => void db.close())
  const filled = ['rollups', 'day_sums'].map((table) => db.prepare(`SELECT * FROM ${table}`).all())
  expect(filled).toEqual(written)
  expect(setRollupTimeZone(db, 'UTC')).toBe(true)
  const [total] = usage(db, { groupBy: 'key', timeZone: 'UTC' })
  expect(total).toMatchObject({ requests: 40, errors: 8, unpriced: 7, tokensCached: 80 })
})
