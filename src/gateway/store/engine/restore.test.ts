import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { claimIdempotency } from '../ledger/idempotency.ts'
import { checkTotals, settleAbandoned } from '../ledger/maintenance.ts'
import { loadState } from '../settings/settings.ts'
import { readSpend, runningClaim, setUpPendingRestore, start } from '../testing/pending-restore.ts'
import { NOON, temporary } from '../testing/samples.ts'
import { listBackups, writeBackup } from './backup.ts'
import { databasePath, pendingRestorePath } from './files.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open.ts'

const { tempDir } = temporary(onTestFinished)

describe('a pending restore', () => {
  test('replaces the database once, and moves the old one aside', () => {
    const { dataDir, id, aside } = setUpPendingRestore(tempDir())
    expect(statSync(pendingRestorePath(dataDir)).mode & 0o777).toBe(0o600)
    expect(start(dataDir)).toEqual({
      restored: { backup: id, madeAt: expect.any(Number), movedTo: aside, requested: true },
      spend: 250,
      warnings: [],
      discrepancies: 0,
    })
    expect(readSpend(aside)).toBe(500)
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
    expect(existsSync(`${databasePath(dataDir)}.new`)).toBe(false)
    expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600)
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 250 })
    expect(listBackups(dataDir).map((backup) => backup.id)).toEqual([id])
  })

  test('settles the requests and claims that were running in the backup', () => {
    const { dataDir } = setUpPendingRestore(tempDir())
    const { db } = openDatabase(dataDir, silentLog, NOON)
    expect(settleAbandoned(db, { now: NOON })).toMatchObject([{ id: 'req_running', costStatus: 'unsettled' }])
    expect(claimIdempotency(db, runningClaim)).toMatchObject({ existing: { state: 'unknown' } })
    expect(checkTotals(db)).toEqual([])
    db.close()
  })

  test('moves the log of a database that was not closed with it', () => {
    const { dataDir, aside } = setUpPendingRestore(tempDir())
    const crashed = new Sqlite(databasePath(dataDir))
    crashed.pragma('journal_mode = WAL')
    crashed.exec('UPDATE account SET spend_nano = 777')
    const log = readFileSync(`${databasePath(dataDir)}-wal`)
    const file = readFileSync(databasePath(dataDir))
    crashed.close()
    writeFileSync(databasePath(dataDir), file)
    writeFileSync(`${databasePath(dataDir)}-wal`, log)
    expect(start(dataDir)).toMatchObject({ spend: 250 })
    expect(readSpend(aside)).toBe(777)
  })

  test('does not make a revoked key valid again', () => {
    const { dataDir } = setUpPendingRestore(tempDir())
    const used = new Sqlite(databasePath(dataDir))
    used.exec(`UPDATE keys SET revoked_at = ${NOON + 7}`)
    used.close()
    const { db } = openDatabase(dataDir, silentLog, NOON)
    expect(loadState(db).keys).toMatchObject([{ id: 'key_a', revokedAt: NOON + 7, spendNano: 250 }])
    db.close()
  })

  test('replaces a damaged database too', () => {
    const { dataDir, id, aside } = setUpPendingRestore(tempDir())
    writeFileSync(databasePath(dataDir), 'not a database\n'.repeat(1000))
    expect(start(dataDir)).toMatchObject({ restored: { backup: id, requested: true }, spend: 250 })
    expect(readFileSync(aside, 'utf8')).toContain('not a database')
  })

  test('migrates the backup before it replaces the database', () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    const next = {
      name: 'next',
      apply: (db: Sqlite.Database) => db.exec('CREATE TABLE next (a INTEGER) STRICT'),
    }
    const { db, restored } = openDatabase(dataDir, silentLog, NOON, [...migrations, next])
    expect(restored).toMatchObject({ backup: id })
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length + 1)
    expect(db.prepare('SELECT spend_nano FROM account').pluck().get()).toBe(250)
    db.close()
  })

  test('retains its backup, regardless of later ones', () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    for (let day = 1; day <= 9; day++) writeBackup(dataDir, NOON + day * 86_400_000)
    expect(listBackups(dataDir)).toHaveLength(8)
    expect(listBackups(dataDir).at(-1)?.id).toBe(id)
    expect(start(dataDir)).toMatchObject({ restored: { backup: id }, spend: 250 })
  })
})
