import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { claimIdempotency } from '../ledger/idempotency.ts'
import { checkTotals, settleAbandoned } from '../ledger/maintenance.ts'
import { loadState } from '../settings/settings.ts'
import { makeNewer, readSpend, runningClaim, setUpPendingRestore, start } from '../testing/pending-restore.ts'
import { NOON, openTestStore } from '../testing/samples.ts'
import { newDataDir, tempDir } from '../testing/temp-store.ts'
import { listBackups, readPendingRestore, removePendingRestore, writeBackup } from './backup.ts'
import { scheduleRestore } from './backup-tasks.ts'
import { databasePath, pendingRestorePath } from './files.ts'
import { latestSchema, migrations } from './migrations.ts'
import { openDatabase } from './open.ts'

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
    expect(db.pragma('user_version', { simple: true })).toBe(latestSchema() + 1)
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

describe('scheduling a restore', () => {
  test('lists backups newest first, keeps one pending restore, and cancels it for its own backup only', async () => {
    const dataDir = newDataDir()
    const store = await openTestStore({ dataDir })
    onTestFinished(() => store.close())
    expect(await store.backups.list()).toEqual({ backups: [], restoreAtStart: null })
    const first = await store.backups.create()
    const second = await store.backups.create()
    expect(await store.backups.list()).toEqual({ backups: [second, first], restoreAtStart: null })
    expect(second.bytes).toBe(statSync(join(dataDir, 'backups', second.id)).size)
    await store.backups.scheduleRestore(first.id)
    expect(await store.backups.scheduleRestore(second.id)).toMatchObject({ restoreAtStart: second.id })
    expect(await store.backups.cancelRestore(first.id)).toMatchObject({ restoreAtStart: second.id })
    rmSync(join(dataDir, 'backups', second.id))
    expect(await store.backups.cancelRestore(second.id)).toEqual({ backups: [first], restoreAtStart: null })
    expect(await store.backups.cancelRestore(second.id)).toEqual({ reason: 'unknown' })
  })

  test('rejects anything but the exact name of a backup', () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    removePendingRestore(dataDir)
    mkdirSync(join(dataDir, 'other'))
    for (const name of [
      '',
      '.',
      '..',
      '../tollgate.db',
      `./${id}`,
      `../backups/${id}`,
      id.toUpperCase(),
      `${id}\0`,
    ]) {
      expect([name, scheduleRestore(dataDir, NOON, name)]).toEqual([name, { reason: 'unknown' }])
    }
    expect(readPendingRestore(dataDir)).toBeNull()
  })

  test('rejects a backup that could not be restored, with the reason', () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    removePendingRestore(dataDir)
    const path = join(dataDir, 'backups', id)
    makeNewer(path)
    expect(scheduleRestore(dataDir, NOON, id)).toMatchObject({
      reason: 'newer',
      detail: expect.stringContaining('Update'),
    })
    writeFileSync(path, 'bad')
    expect(scheduleRestore(dataDir, NOON, id)).toMatchObject({ reason: 'damaged' })
    rmSync(path)
    symlinkSync(databasePath(dataDir), path)
    expect(scheduleRestore(dataDir, NOON, id)).toMatchObject({
      reason: 'damaged',
      detail: 'it is not a regular file',
    })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })

  test('waits while a backup is written', async () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    const store = await openTestStore({ dataDir })
    const [made, after] = await Promise.all([store.backups.create(), store.backups.scheduleRestore(id)])
    expect(after).toMatchObject({ restoreAtStart: id, backups: [{ id: made.id }, { id }] })
    const closing = store.backups.cancelRestore(id)
    await store.close()
    expect(await closing).toMatchObject({ restoreAtStart: null })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })
})
