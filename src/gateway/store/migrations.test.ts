import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { NO_USAGE } from '../formats/token-usage.ts'
import { settleAbandoned } from './maintenance.ts'
import { migrate, migrations } from './migrations.ts'
import { getBodies, getRequest } from './request-log.ts'
import type { SqlValue } from './statement.ts'
import { NOON } from './testing/samples.ts'

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

test('narrow rows hold what wide rows held, of every kind', () => {
  const db = new Sqlite(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, 1, migrations.slice(0, 10))
  db.exec(`INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1)`)
  const columns = `id, created_at, key_id, requested_model, model, provider, stream, status, http_status, error, tokens_in,
    tokens_out, usage, cost_nano, cost_status, cost_low_nano, cost_high_nano, reserved_nano, estimate_nano, price, attempts,
    queue_ms, first_byte_ms, total_ms, client, endpoint, count, last_at, settled_at`
  const put = db.prepare<SqlValue[]>(
    `INSERT INTO requests (${columns}) VALUES (${columns
      .split(',')
      .map(() => '?')
      .join(', ')})`,
  )
  const id = `req_${'0a'.repeat(16)}`
  const attempt = { provider: 'p', model: 'served', status: 200, ms: 12.5, error: null }
  const usage = { ...NO_USAGE, input: 6, cacheRead: 4, output: 5 }
  const price = {
    pricing: { inputPerMillion: 1, outputPerMillion: 2 },
    origin: { source: 'builtin', match: 'exact', asOf: null },
    plan: 'bundle',
    discountPercent: 20,
    reportedByProvider: false,
  }
  put.run(
    ...[
      id,
      NOON,
      'key_a',
      'asked',
      'served',
      'p',
      1,
      'succeeded',
      200,
      null,
      10,
      5,
      JSON.stringify(usage),
      250,
      'exact',
    ],
    ...[
      null,
      null,
      900,
      300,
      JSON.stringify(price),
      JSON.stringify([attempt]),
      0.5,
      3.25,
      12.755,
      'curl/8',
      null,
      1,
      null,
    ],
    NOON + 13,
  )
  const error = { type: 'upstream_error', message: 'it broke' }
  const failed = [
    { ...attempt, status: 503, error: 'down' },
    { ...attempt, error: 'ended early' },
  ]
  put.run(
    ...[
      'old',
      NOON,
      'key_a',
      'x'.repeat(5_000),
      null,
      null,
      0,
      'failed',
      502,
      JSON.stringify(error),
      1,
      0,
      null,
      7,
    ],
    ...[
      'unsettled',
      0,
      9,
      9,
      7,
      null,
      JSON.stringify(failed),
      null,
      null,
      1,
      null,
      'POST /v1/embeddings',
      1,
      null,
      NOON,
    ],
  )
  put.run(
    ...[
      'open',
      NOON + 1,
      'key_a',
      'asked',
      null,
      null,
      0,
      'running',
      null,
      null,
      3,
      0,
      null,
      null,
      'pending',
    ],
    ...[null, null, 9, 7, null, '[]', 1, null, null, null, null, 1, null, null],
  )
  db.exec(`INSERT INTO request_bodies VALUES ('old', 'prompt', 'answer')`)
  db.exec(`INSERT INTO rollups VALUES (${NOON}, 'key_a', 'served', 'p', 'curl', 1, 10, 5, 250)`)
  migrate(db, 2)

  expect(getRequest(db, id)).toEqual({
    ...{
      id,
      seq: 1,
      createdAt: NOON,
      keyId: 'key_a',
      requestedModel: 'asked',
      model: 'served',
      provider: 'p',
    },
    ...{ stream: true, status: 'succeeded', httpStatus: 200, error: null, tokensIn: 10, tokensOut: 5, usage },
    ...{ costNano: 250, costStatus: 'exact', costLowNano: null, costHighNano: null, reservedNano: 900 },
    ...{ estimateNano: 300, price, attempts: [attempt], queueMs: 0.5, firstByteMs: 3.25, totalMs: 12.755 },
    ...{ client: 'curl/8', endpoint: null, count: 1, lastAt: null, settledAt: NOON + 13, bodiesKept: false },
  })
  expect(getRequest(db, 'old')).toMatchObject({
    ...{ seq: 2, requestedModel: 'x'.repeat(5_000), status: 'failed', error, attempts: failed, usage: null },
    ...{ costStatus: 'unsettled', costHighNano: 9, endpoint: 'POST /v1/embeddings', bodiesKept: true },
  })
  expect(getRequest(db, 'open')).toMatchObject({ seq: 3, status: 'running', attempts: [], tokensIn: 3 })
  expect(getBodies(db, 'old')).toEqual({ requestId: 'old', request: 'prompt', response: 'answer' })
  expect(settleAbandoned(db, { now: NOON + 5 })).toMatchObject([{ id: 'open', costNano: 7 }])
  const texts = db.prepare('SELECT text FROM texts').pluck().all()
  expect(texts).toEqual(
    expect.arrayContaining(['key_a', 'asked', 'served', 'p', 'curl/8', 'curl', JSON.stringify(price)]),
  )
  expect(db.prepare('SELECT key_id FROM rollups').pluck().all()).toContain(1)
  expect(db.pragma('foreign_key_check')).toEqual([])
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  db.close()
})
