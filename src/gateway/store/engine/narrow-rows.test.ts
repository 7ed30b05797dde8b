import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import { settleAbandoned } from '../ledger/maintenance.ts'
import { INITIAL_ROW } from '../ledger/request-columns.ts'
import { getBodies, getRequest } from '../listings/request-log.ts'
import { NOON } from '../testing/samples.ts'
import { migrate, migrations } from './migrations.ts'
import type { Db, SqlValue } from './statement.ts'

/** Inserts a row by its columns' names into the wide table, in which the others have defaults. */
function insertWide(db: Db, row: Record<string, SqlValue>): void {
  const columns = Object.keys(row)
  const sql = `INSERT INTO requests (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`
  db.prepare<Record<string, SqlValue>>(sql).run(row)
}

test('narrow rows hold what wide rows held, of every kind', () => {
  const db = new Sqlite(':memory:')
  db.pragma('foreign_keys = ON')
  migrate(db, 1, migrations.slice(0, 10))
  db.exec(`INSERT INTO keys (id, name, scope, purpose, created_at) VALUES ('key_a', 'A', 'full', 'user', 1)`)
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
  const asked = { key_id: 'key_a', requested_model: 'asked' }
  insertWide(db, {
    ...{ id, created_at: NOON, ...asked, model: 'served', provider: 'p', stream: 1, status: 'succeeded' },
    ...{ http_status: 200, tokens_in: 10, tokens_out: 5, usage: JSON.stringify(usage), cost_nano: 250 },
    ...{ cost_status: 'exact', reserved_nano: 900, estimate_nano: 300, price: JSON.stringify(price) },
    ...{ attempts: JSON.stringify([attempt]), queue_ms: 0.5, first_byte_ms: 3.25, total_ms: 12.755 },
    ...{ client: 'curl/8', settled_at: NOON + 13 },
  })
  const error = { type: 'upstream_error', message: 'it broke' }
  const failed = [
    { ...attempt, status: 503, error: 'down' },
    { ...attempt, error: 'ended early' },
  ]
  insertWide(db, {
    ...{ id: 'old', created_at: NOON, ...asked, requested_model: 'x'.repeat(5_000), stream: 0 },
    ...{ status: 'failed', http_status: 502, error: JSON.stringify(error), tokens_in: 1, cost_nano: 7 },
    ...{ cost_status: 'unsettled', cost_low_nano: 0, cost_high_nano: 9, reserved_nano: 9, estimate_nano: 7 },
    ...{ attempts: JSON.stringify(failed), total_ms: 1, endpoint: 'POST /v1/embeddings', settled_at: NOON },
  })
  insertWide(db, {
    ...{ id: 'open', created_at: NOON + 1, ...asked, stream: 0, status: 'running', tokens_in: 3 },
    ...{ cost_status: 'pending', reserved_nano: 9, estimate_nano: 7, queue_ms: 1 },
  })
  db.exec(`INSERT INTO request_bodies VALUES ('old', 'prompt', 'answer')`)
  db.exec(`INSERT INTO rollups VALUES (${NOON}, 'key_a', 'served', 'p', 'curl', 1, 10, 5, 250)`)
  migrate(db, 2)

  expect(getRequest(db, id)).toEqual({
    // Later columns are as in a new row.
    ...INITIAL_ROW,
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
    ...{
      estimateNano: 300,
      price,
      attempts: [{ ...attempt, startMs: 0 }],
      queueMs: 0.5,
      firstByteMs: 3.25,
      totalMs: 12.755,
    },
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
