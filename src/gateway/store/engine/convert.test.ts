// Rows that only some databases of earlier versions have. Whole data folders are converted in released-data.test.ts.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { checkTotals } from '../ledger/maintenance.ts'
import { getRequest } from '../listings/request-log.ts'
import { usage } from '../listings/usage.ts'
import { forgetReceiptKey, loadState } from '../settings/settings.ts'
import { getFacts, unpackRelease } from '../testing/releases.ts'
import { tempDir } from '../testing/temp-store.ts'
import { listBackups } from './backup.ts'
import { convertFile, isOlder } from './convert.ts'
import { databasePath, receiptKeyPath } from './files.ts'
import { openDatabase } from './open.ts'

const LAST = '0.1.0-839dff4'

/** The data folder of a release after a change of its database. */
function unpackChanged(name: string, sql: string): string {
  const dataDir = tempDir()
  unpackRelease(name, dataDir)
  const db = new Sqlite(databasePath(dataDir))
  db.exec(sql)
  db.close()
  return dataDir
}

function openConverted(dataDir: string) {
  const { db } = openDatabase(dataDir, silentLog, getFacts(LAST).recordedAt)
  onTestFinished(() => void db.close())
  return db
}

test('a settled request that was in no sum yet is charged', () => {
  const { runningId } = getFacts(LAST)
  const dataDir = unpackChanged(
    LAST,
    'UPDATE running SET status = 1, cost_status = 1, cost_nano = 250, settled_after = 13',
  )
  const old = new Sqlite(databasePath(dataDir), { readonly: true })
  const before = Number(old.prepare('SELECT spend_nano FROM account').pluck().get())
  old.close()
  const db = openConverted(dataDir)
  expect(getRequest(db, runningId)).toMatchObject({ status: 'succeeded', costStatus: 'exact', costNano: 250 })
  expect(db.prepare('SELECT spend_nano FROM account').pluck().get()).toBe(before + 250)
  expect(checkTotals(db)).toEqual([])
})

test('values that were stored as numbers get their names', () => {
  const key = '(SELECT nr FROM texts WHERE text = (SELECT id FROM keys LIMIT 1))'
  const dataDir = unpackChanged(
    LAST,
    `UPDATE requests SET cost_status = 8, finish_reason = 2, agent_role = 3, queue_us = 1234, settled_after = 77,
       usage = '{"input":1,"cacheRead":9,"images":3}', attempts = 2500, model = requested_model,
       provider = requested_model WHERE seq = 1;
     INSERT INTO git_places VALUES (NULL, ${key}, 1, 'r', 'b', NULL);
     INSERT INTO sessions (nr, id, source, key_id, client, started_at, last_at)
       VALUES (900, unhex('${'ab'.repeat(16)}'), 3, ${key}, 'a name that is no number', 1, 2);
     UPDATE requests SET session = 900 WHERE seq = 2;
     INSERT INTO activity (seq, at, kind, actor, details) VALUES (41, 1, 'paused', 'owner', '{}');
     DELETE FROM activity WHERE seq = 41;
     INSERT INTO settings VALUES ('installKeys', '[]')`,
  )
  const db = openConverted(dataDir)
  const [first, second] = db
    .prepare<[], { id: string }>('SELECT id FROM requests WHERE seq < 3 ORDER BY seq')
    .all()
  const request = getRequest(db, first?.id ?? '')
  expect(request).toMatchObject({ costStatus: 'cached', finishReason: 'tool_calls', agentRole: 'compaction' })
  expect(request).toMatchObject({ queueMs: 1.234, settledAt: (request?.createdAt ?? 0) + 77 })
  expect(request?.usage).toMatchObject({
    input: 1,
    cacheRead: 9,
    images: 3,
    output: request?.tokensOut,
    audioInput: 0,
  })
  expect(request?.attempts).toEqual([
    { provider: request?.model, model: request?.model, status: 200, startMs: 0, ms: 2.5, error: null },
  ])
  expect(getRequest(db, second?.id ?? '')?.sessionId).toBe(`ses_${'ab'.repeat(16)}`)
  expect(db.prepare('SELECT source, client FROM sessions WHERE nr = 900').raw().get()).toEqual([
    'codex',
    'a name that is no number',
  ])
  expect(db.prepare('SELECT key_id FROM git_places').pluck().get()).toBe(
    db.prepare('SELECT id FROM keys LIMIT 1').pluck().get(),
  )
  // Later entries get higher numbers, or they would count as seen.
  expect(db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'activity'").pluck().get()).toBe(41)
  expect(db.prepare("SELECT 1 FROM settings WHERE name = 'installKeys'").all()).toEqual([])
})

test('sums of the first version get the errors, durations and cached tokens of their requests', () => {
  const db = openConverted(unpackChanged('0.1.0', ''))
  const failed = db.prepare("SELECT count(*) FROM requests WHERE status = 'failed'").pluck().get()
  const [total] = usage(db, { groupBy: 'key', timeZone: 'UTC', timings: true })
  const errors = usage(db, { groupBy: 'key', timeZone: 'UTC' }).reduce((sum, row) => sum + row.errors, 0)
  expect(errors).toBe(failed)
  expect(failed).toBeGreaterThan(0)
  expect(total?.timings).not.toBeNull()
})

test('a conversion that is interrupted or fails leaves the database as it was', () => {
  const dataDir = unpackChanged(LAST, 'UPDATE keys SET spend_nano = spend_nano')
  const path = databasePath(dataDir)
  writeFileSync(`${path}.converted`, 'half a copy')
  const old = new Sqlite(path)
  old.exec('ALTER TABLE requests RENAME COLUMN cost_status TO other')
  old.close()
  expect(() => openDatabase(dataDir, silentLog, 1)).toThrow(/cost_status/)
  expect(isOlder(path)).toBe(true)
  expect(existsSync(`${path}.converted`)).toBe(false)
  const back = new Sqlite(path)
  back.exec('ALTER TABLE requests RENAME COLUMN other TO cost_status')
  back.close()
  expect(checkTotals(openConverted(dataDir))).toEqual([])
})

test('a database that another program has open is not converted', () => {
  const dataDir = unpackChanged(LAST, '')
  const reader = new Sqlite(databasePath(dataDir), { readonly: true })
  reader.prepare('SELECT 1 FROM keys').get()
  expect(() => convertFile(databasePath(dataDir))).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/locked|BUSY/) }),
  )
  reader.close()
  expect(isOlder(databasePath(dataDir))).toBe(true)
  expect(checkTotals(openConverted(dataDir))).toEqual([])
})

test('amounts that would not arrive whole are an error', () => {
  const dataDir = unpackChanged(LAST, 'INSERT INTO keys SELECT * FROM keys WHERE 0; CREATE TABLE more (a)')
  const path = databasePath(dataDir)
  const old = new Sqlite(path)
  // A table of another form: what is copied cannot be compared.
  old.exec(
    'ALTER TABLE holds RENAME TO had; CREATE TABLE holds (seq, held_nano, held_until); INSERT INTO holds VALUES (1, 5, 1), (1, 7, 1)',
  )
  old.close()
  expect(() => convertFile(path)).toThrow('The table holds could not be converted')
})

test('the key that signed receipts is deleted, after a backup of the database', () => {
  const dataDir = unpackChanged(LAST, '')
  writeFileSync(join(dataDir, 'receipt-key.json'), '{}')
  const db = openConverted(dataDir)
  expect(existsSync(receiptKeyPath(dataDir))).toBe(false)
  // The one in the keychain is deleted by those who can open it.
  expect(loadState(db).hasReceiptKey).toBe(true)
  forgetReceiptKey(db)
  expect(loadState(db).hasReceiptKey).toBe(false)
  expect(listBackups(dataDir)).toHaveLength(1)
})
