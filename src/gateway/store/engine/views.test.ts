// The views that docs/data.md promises: their columns, their values compared with the API's, and its queries, read while the
// gateway runs by a connection that knows none of its functions.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RequestRecord } from '../../../shared/api/requests.ts'
import { startTestGateway, type TestGateway } from '../../testing/gateway.ts'
import { setRollupTimeZone } from '../sums/rollup-columns.ts'
import { getFacts, unpackRelease } from '../testing/releases.ts'
import { connectWriter } from './connection.ts'
import { databasePath } from './files.ts'
import { migrate, migrations } from './migrations.ts'
import { createViews } from './views.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/data.md'), 'utf8')
const NAMES = ['tollgate_requests', 'tollgate_daily_spend', 'tollgate_keys', 'tollgate_sessions']
const { admin, keys, recordedAt } = getFacts('0.1.0')

let dataDir = ''
let tollgate: TestGateway
let reader: Sqlite.Database
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-views-'))
  unpackRelease('0.1.0', dataDir)
  const clock = { now: () => recordedAt + 60_000 }
  tollgate = await startTestGateway({ dataDir, admin, clock })
  const headers = { 'user-agent': 'claude-cli/2.1.9 (external, cli)', 'x-tollgate-tag': 'site' }
  await tollgate.chat({}, { as: keys.roomy.secret, headers })
  await tollgate.chat({ stream: true }, { as: keys.uncapped.secret, headers })
  reader = new Sqlite(databasePath(dataDir), { readonly: true })
})
afterAll(async () => {
  reader.close()
  await tollgate.close()
  rmSync(dataDir, { recursive: true, force: true })
})
const all = (sql: string) => reader.prepare<[], Record<string, unknown>>(sql).all()

test('docs/data.md names every column of each view', () => {
  for (const name of NAMES) {
    const section = page.split(`### ${name}\n`)[1]?.split('\n#')[0] ?? ''
    const cells = section.split('\n').map((line) => line.split('|')[1] ?? '')
    const named = cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, column]) => column))
    const columns = reader.prepare(`SELECT * FROM ${name}`).columns()
    expect(named.sort(), name).toEqual(columns.map(({ name: column }) => column).sort())
  }
})

test('every query in docs/data.md runs, and most find something', () => {
  const queries = [...page.matchAll(/```sql\n([^`]+)```/g)].map(([, sql = '']) => sql)
  const fromShell = [...page.matchAll(/tollgate\.db "(SELECT [^"]+)"/g)].map(([, sql = '']) => sql)
  expect(queries).toHaveLength(6)
  expect(fromShell).toHaveLength(2)
  const found = [...queries, ...fromShell].map((sql) => all(sql).length)
  expect(found.filter((rows) => rows > 0).length).toBeGreaterThanOrEqual(6)
})

test('a request has the values of its record', async () => {
  const records = await tollgate.records()
  const rows = all('SELECT * FROM tollgate_requests ORDER BY seq DESC')
  expect(rows.length).toBe(records.length)
  expect(rows.map(({ id }) => id).sort()).toEqual(records.map(({ id }) => id).sort())
  for (const record of records) {
    const { seq, created_at_ms, ended_at, cost_nano_usd, worth_nano_usd, saved_nano_usd, ...row } =
      rows.find(({ id }) => id === record.id) ?? {}
    expect(row).toEqual(viewed(record))
    expect(created_at_ms).toBe(Date.parse(record.createdAt))
    expect(Number(cost_nano_usd)).toBe(Math.round((record.costUsd ?? 0) * 1e9))
    expect([worth_nano_usd, saved_nano_usd]).toEqual([null, null])
    expect(String(ended_at) >= record.createdAt).toBe(true)
    expect(seq).toBeGreaterThan(0)
  }
})

function viewed({ timings, usage, error, ...record }: RequestRecord): Record<string, unknown> {
  return {
    ...{ id: record.id, created_at: record.createdAt, key_id: record.keyId, key_name: record.keyName },
    ...{ tag: record.tag, session_id: record.sessionId, client: record.client, endpoint: record.endpoint },
    ...{ requested_model: record.requestedModel, model: record.model, provider: record.provider },
    ...{ stream: Number(record.stream), status: record.status, http_status: record.httpStatus },
    ...{ error_type: error?.type ?? null, error_code: error?.code ?? null },
    ...{ tokens_in: record.tokensIn, tokens_out: record.tokensOut },
    tokens_cache_read: usage?.cacheRead ?? null,
    tokens_cache_write: usage && usage.cacheWrite5m + usage.cacheWrite1h,
    tokens_reasoning: usage?.reasoning ?? null,
    ...{ cost_status: record.costStatus, cost_usd: record.costUsd },
    ...{ cost_low_usd: record.costLowUsd, cost_high_usd: record.costHighUsd },
    attempts: record.attempts.length,
    ...{ queue_ms: timings.queueMs, first_byte_ms: timings.firstByteMs, total_ms: timings.totalMs },
    ...{
      count: record.count,
      last_at: record.lastAt,
      worth_usd: record.worthUsd,
      saved_usd: record.savedUsd,
    },
    finish_reason: record.finishReason,
    ...{ agent_id: null, agent_type: null, agent_role: null, overflow_from: null },
  }
}

test('keys, sessions and days have the sums of the API', async () => {
  const get = async (path: string) => (await tollgate.call('GET', path)).json.data
  const ofKeys = all('SELECT id, name, spend_usd FROM tollgate_keys ORDER BY id')
  const listed: { id: string; name: string; spendUsd: number }[] = await get('/v1/keys')
  expect(ofKeys).toEqual(
    listed
      .map(({ id, name, spendUsd }) => ({ id, name, spend_usd: spendUsd }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const sessions: { id: string; source: string; costUsd: number }[] = await get('/v1/sessions')
  const byId = new Map(all('SELECT id, source, cost_usd FROM tollgate_sessions').map((row) => [row.id, row]))
  expect(sessions).toHaveLength(2)
  for (const { id, source, costUsd } of sessions)
    expect(byId.get(id)).toEqual({ id, source, cost_usd: costUsd })
  const byClient = all(
    `SELECT client_name, tag, sum(requests) AS requests FROM tollgate_daily_spend GROUP BY client_name, tag ORDER BY 1, 2`,
  )
  expect(byClient).toContainEqual({ client_name: 'Claude Code', tag: 'site', requests: 2 })
  const total = all('SELECT sum(cost_nano_usd) / 1e9 AS usd FROM tollgate_daily_spend')
  const ofAllKeys = all('SELECT sum(spend_nano_usd) / 1e9 AS usd FROM tollgate_keys')
  expect(total).toEqual(ofAllKeys)
})

test.each(['Europe/Berlin', 'Pacific/Auckland', 'Pacific/Honolulu', 'Pacific/Kiritimati', 'Asia/Kolkata'])(
  'a day is the date in %s, summer and winter',
  (zone) => {
    const db = connectWriter(databasePath(dataDirOfZone(zone)))
    setRollupTimeZone(db, zone)
    const stored = db.prepare<[], { day: string; bucket: number }>(`
      SELECT view.day, sums.bucket FROM day_sums AS sums JOIN tollgate_daily_spend AS view
      ON view.cost_nano_usd = sums.cost_nano`)
    const rows = stored.all()
    expect(rows.length).toBe(MOMENTS.length)
    const dateIn = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
    for (const { day, bucket } of rows) expect(day).toBe(dateIn.format(bucket))
    db.close()
  },
)

const MOMENTS = [Date.UTC(2026, 0, 15, 11, 30), Date.UTC(2026, 6, 15, 11, 30), Date.UTC(2026, 9, 3, 23)]

function dataDirOfZone(zone: string): string {
  const dir = mkdtempSync(join(dataDir, `${zone.replace('/', '-')}-`))
  const db = new Sqlite(databasePath(dir))
  migrate(db, 1)
  for (const [index, at] of MOMENTS.entries())
    db.exec(`INSERT INTO rollups (bucket, key_id, model, provider, client, tag, requests, tokens_in, tokens_out, cost_nano)
      VALUES (${at}, 'a', 'a', 'a', 'a', 'a', 1, 1, 1, ${index + 1})`)
  createViews(db)
  db.close()
  return dir
}

test('a migration of the tables is not held up by the views, which are created again', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  createViews(db)
  const renamed = {
    name: 'renamed',
    apply: (changed: Sqlite.Database) =>
      void changed.exec(`
        ALTER TABLE day_sums RENAME TO old_sums;
        CREATE TABLE day_sums AS SELECT * FROM old_sums;
        DROP TABLE old_sums`),
  }
  migrate(db, 2, [...migrations, renamed])
  expect(() => db.exec('SELECT * FROM tollgate_daily_spend')).toThrow(/no such table/)
  createViews(db)
  db.exec('SELECT * FROM tollgate_daily_spend')
  db.close()
})

test('the name of a view in a database is a name, whatever characters it has', () => {
  const db = new Sqlite(':memory:')
  migrate(db, 1)
  createViews(db)
  db.exec(`CREATE TABLE mine (a); CREATE VIEW tollgate_a AS SELECT 1;
    CREATE VIEW "tollgate_a""; DROP TABLE mine; --" AS SELECT 1`)
  createViews(db)
  expect(db.prepare('SELECT * FROM mine').all()).toEqual([])
  expect(db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'tollgate_a%'").all()).toEqual([])
  db.close()
})
