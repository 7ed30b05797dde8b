// A data folder of every released version opens in this one, with the money, the keys and the caps that it had. The folders
// are those of real programs, which were killed: `src/tooling/releases/record.ts`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { createMemoryCredentials, startTestGateway, type TestGateway } from '../testing/gateway.ts'
import { listBackups } from './engine/backup.ts'
import { connectReader } from './engine/connection.ts'
import { databasePath } from './engine/files.ts'
import { openDatabase } from './engine/open.ts'
import { checkTotals } from './ledger/maintenance.ts'
import { getFacts, releaseNames, unpackRelease } from './testing/releases.ts'

const MINUTE_MS = 60_000
const micros = (usd: number) => Math.round(usd * 1e6)
const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id)

/** What a database of any version says of money and access, in SQL that has nothing in common with the product's. */
function readAmounts(db: Sqlite.Database): unknown {
  const read = (sql: string) => db.prepare(sql).raw().safeIntegers().all()
  const tables = new Set(read("SELECT name FROM sqlite_schema WHERE type = 'table'").flat())
  const text = (column: string) =>
    tables.has('texts') ? `coalesce((SELECT text FROM texts WHERE nr = ${column}), ${column})` : column
  const rows = tables.has('running') ? '(SELECT * FROM requests UNION ALL SELECT * FROM running)' : 'requests'
  const model = text('coalesce(model, requested_model)')
  // Later versions have the cap and the monthly limit in the lists of limits.
  const isListed = read("SELECT 1 FROM pragma_table_info('keys') WHERE name = 'spend_limit_usd'").length === 0
  const find = (limits: string, per: string) =>
    `(SELECT CAST(value ->> '$.usd' AS REAL) FROM json_each(${limits}) WHERE value ->> '$.per' = '${per}')`
  return {
    account: read('SELECT spend_nano FROM account'),
    keys: read(
      `SELECT id, name, scope, secret_hash, created_at, revoked_at, ${isListed ? find('spend_limits', 'lifetime') : 'spend_limit_usd'},
        rpm_limit, tpm_limit, spend_nano, pruned_nano FROM keys ORDER BY id`,
    ),
    monthly: read(
      isListed
        ? `SELECT ${find('settings.value', 'month')} FROM settings WHERE name = 'spendLimits'`
        : "SELECT CAST(value AS REAL) FROM settings WHERE name = 'monthlyLimitUsd'",
    ),
    requests: read(`
      SELECT seq, lower(CASE typeof(id) WHEN 'blob' THEN 'req_' || hex(id) ELSE id END), created_at, ${text('key_id')},
        ${model}, ${text('provider')}, ${text('client')}, stream, http_status, error, tokens_in, tokens_out, cost_nano,
        cost_low_nano, cost_high_nano, reserved_nano, estimate_nano, ${tables.has('prices') ? '(SELECT price FROM prices WHERE nr = rows.price)' : text('price')}
      FROM ${rows} AS rows ORDER BY seq`),
    ...Object.fromEntries(
      ['rollups', 'day_sums'].map((table) => [
        table,
        read(`
          SELECT bucket, ${text('key_id')}, ${text('model')}, ${text('provider')}, ${text('client')}, requests, tokens_in,
            tokens_out, cost_nano
          FROM ${table} ORDER BY 1, 2, 3, 4, 5`),
      ]),
    ),
    sessions: tables.has('sessions')
      ? read(
          `SELECT nr, ${text('key_id')}, ${text('client')}, started_at, last_at, requests, cost_nano FROM sessions ORDER BY nr`,
        )
      : [],
    bodies: read('SELECT request, response FROM request_bodies ORDER BY 1, 2'),
    settings: read(
      "SELECT name, value FROM settings WHERE name NOT IN ('monthlyLimitUsd', 'spendLimits') ORDER BY name",
    ),
    idempotency: read('SELECT id, key_id, body_hash, state, status, sealed FROM idempotency ORDER BY id'),
    providers: read('SELECT id, name, base_url, enabled, priority, headers FROM providers ORDER BY id'),
    models: read('SELECT * FROM model_overrides ORDER BY id'),
  }
}

describe.each(releaseNames())('a data folder of %s', (name) => {
  const { admin, keys, said, ...facts } = getFacts(name)
  // A later clock would prune requests and forget answers.
  const clock = { now: () => facts.recordedAt + MINUTE_MS }
  const deleted: string[] = []
  const credentials = {
    ...createMemoryCredentials(),
    kind: 'keychain' as const,
    delete: async (account: string) => void deleted.push(account),
  }
  let dataDir = ''
  let schemaBefore = 0
  let before: unknown
  let tollgate: TestGateway
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tollgate-released-'))
    unpackRelease(name, dataDir)
    const db = new Sqlite(databasePath(dataDir))
    schemaBefore = Number(db.pragma('user_version', { simple: true }))
    before = readAmounts(db)
    db.close()
    tollgate = await startTestGateway({ dataDir, clock, admin, credentials })
  })
  afterAll(async () => {
    await tollgate.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const get = async (path: string) => (await tollgate.call('GET', path)).json
  const chat = (as: string, content: string) =>
    tollgate.chat({ messages: [{ role: 'user', content }] }, { as })

  test('has the same rows, sums, keys and settings, to the nano-dollar', () => {
    const copy = mkdtempSync(join(tmpdir(), 'tollgate-released-'))
    onTestFinished(() => rmSync(copy, { recursive: true }))
    unpackRelease(name, copy)
    openDatabase(copy, silentLog, facts.recordedAt).db.close()
    const db = new Sqlite(databasePath(copy), { readonly: true })
    expect(readAmounts(db)).toEqual(before)
    db.close()
  })

  test('has the same totals, to the micro-dollar', async () => {
    const spend = (all: typeof said.keys) =>
      [...all].sort(byId).map(({ id, spendUsd, spendLimitUsd, revokedAt }) => ({
        ...{ id, spent: micros(spendUsd), spendLimitUsd, isRevoked: revokedAt !== null },
      }))
    expect(spend((await get('/v1/keys')).data)).toEqual(spend(said.keys))
    // The sandbox, which counted in totals then, has served all but the interrupted one, of which only later versions know it.
    const { costUsd, sample } = await get(`/v1/requests/${facts.runningId}`)
    const spendUsd = sample ? 0 : costUsd
    const account = { spendUsd, monthSpendUsd: spendUsd, monthlyLimitUsd: 25 }
    expect(await get('/v1/account')).toMatchObject(account)
    const sums = (all: typeof said.byModel) => [...all].map(({ group, requests }) => [group, requests]).sort()
    expect(sums((await get('/v1/usage?groupBy=model')).data)).toEqual(sums(said.byModel))
    expect(sums((await get('/v1/usage?groupBy=day')).data)).toEqual(sums(said.byDay))
    const db = connectReader(databasePath(dataDir))
    expect(checkTotals(db)).toEqual([])
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
  })

  test('lists the same requests, with the one that ran when it was killed', async () => {
    const lines = (all: typeof said.requests) =>
      [...all].sort(byId).map(({ id, keyId, status, costUsd, costStatus }) => ({
        ...{ id, keyId, status, costUsd, costStatus },
      }))
    const records = await tollgate.records()
    expect(lines(records)).toEqual(lines(said.requests))
    expect(records.find(({ id }) => id === facts.runningId)).toMatchObject({ costStatus: 'unsettled' })
    expect(await get(`/v1/requests/${facts.stored.id}/bodies`)).toMatchObject({
      response: expect.stringContaining('Stored answer'),
    })
  })

  test('has the state before it in a backup, which is made once', async () => {
    const current = new Sqlite(databasePath(dataDir), { readonly: true })
    const isMigrated = current.pragma('user_version', { simple: true }) !== schemaBefore
    current.close()
    const backups = listBackups(dataDir)
    expect(backups).toHaveLength(isMigrated ? 1 : 0)
    for (const { path } of backups) {
      const backup = new Sqlite(path, { readonly: true })
      expect(backup.pragma('user_version', { simple: true })).toBe(schemaBefore)
      backup.close()
    }
    await tollgate.gateway.close()
    tollgate = await startTestGateway({ dataDir, clock, admin })
    expect(listBackups(dataDir)).toHaveLength(backups.length)
  })

  test('has keys that work as before: secrets, caps, revocations', async () => {
    expect((await chat(keys.roomy.secret, 'Hello')).status).toBe(200)
    expect((await chat(keys.spent.secret, 'Hello')).json.error.code).toBe('spend_limit_reached')
    expect((await chat(keys.revoked.secret, 'Hello')).status).toBe(401)
    const answer = await tollgate.call('POST', '/v1/chat/completions', {
      ...{ as: keys.roomy.secret, body: facts.idempotent.body },
      headers: { 'idempotency-key': 'order-1' },
    })
    expect(answer.headers.get('idempotency-replayed')).toBe('true')
    expect(answer.text).toBe(facts.idempotent.answer)
    const costs: number[] = []
    for (;;) {
      const { status, headers } = await chat(keys.tight.secret, 'Up to the cap [[sandbox:tokens 100]]')
      if (status === 402) break
      expect(status).toBe(200)
      costs.push(Number(headers.get('x-service-cost-usd')))
    }
    const { spendUsd, spendLimitUsd } = await get(`/v1/keys/${keys.tight.id}`)
    expect(costs.length).toBeGreaterThan(0)
    expect(spendUsd).toBeGreaterThanOrEqual(spendLimitUsd)
    expect(spendUsd - (costs.at(-1) ?? 0)).toBeLessThan(spendLimitUsd)
  })

  test('has no key in the keychain that signed receipts', () => {
    expect(deleted).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\/#receipts$/)])
  })

  test('keeps its models and providers', async () => {
    expect(await get('/v1/models/house-model')).toMatchObject({
      provider: 'sandbox',
      pricing: { inputPerMillion: 3, outputPerMillion: 15 },
    })
    const { data } = await get('/v1/providers')
    expect(data).toContainEqual(
      expect.objectContaining({ id: 'acme', apiFormat: 'openai-chat', enabled: false, hasCredential: true }),
    )
  })
})
