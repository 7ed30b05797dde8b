import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nanoUsd } from '../../shared/money.ts'
import { silentLog } from '../platform/log.ts'
import { listBackups, writeBackup } from './backup.ts'
import { runBackupTask } from './backup-tasks.ts'
import { databasePath, pendingRestorePath, stamp } from './files.ts'
import { claimIdempotency } from './idempotency.ts'
import { insertKey } from './keys.ts'
import { openRequest, settleRequest } from './ledger.ts'
import { checkTotals, settleAbandoned } from './maintenance.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open.ts'
import { writePendingRestore } from './pending-restore.ts'
import { loadState } from './settings.ts'
import type { Db } from './statement.ts'
import { openStore, type Restored } from './store.ts'
import { NOON, sampleKey, sampleRequest, sampleSettlement, temporary } from './testing/samples.ts'

const { tempDir } = temporary(onTestFinished)

const claim = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: NOON }

interface Marked {
  dataDir: string
  /** The backup's id: 250 nano-dollars were spent in it. */
  id: string
  aside: string
}

/** A data dir where 500 nano-dollars were spent and a backup of half of that is to be restored. */
function marked(): Marked {
  const dataDir = tempDir()
  const { db } = openDatabase(dataDir, silentLog, NOON)
  insertKey(db, sampleKey('key_a'))
  spend(db, 'req_before', 250)
  claimIdempotency(db, claim)
  openRequest(db, sampleRequest('req_running'))
  const { id } = writeBackup(dataDir, NOON)
  spend(db, 'req_after', 250)
  db.close()
  expect(runBackupTask(dataDir, { do: 'mark', id }, NOON + 1)).toMatchObject({ restoreAtStart: id })
  return { dataDir, id, aside: `${databasePath(dataDir)}.replaced-${stamp(NOON + 1)}` }
}

function spend(db: Db, id: string, nano: number): void {
  openRequest(db, sampleRequest(id))
  settleRequest(db, sampleSettlement(id, { costNano: nanoUsd(nano) }))
}

interface Started {
  restored: Restored | null
  spend: number
  warnings: string[]
}

function start(dataDir: string): Started {
  const warnings: string[] = []
  const log = { ...silentLog, warn: (line: string) => warnings.push(line) }
  const { db, restored } = openDatabase(dataDir, log, NOON + 2)
  const { accountSpendNano } = loadState(db)
  expect(checkTotals(db)).toEqual([])
  db.close()
  return { restored, spend: accountSpendNano, warnings }
}

const spendIn = (path: string) => {
  const db = new Sqlite(path)
  const spend = db.prepare('SELECT spend_nano FROM account').pluck().get()
  db.close()
  return spend
}

describe('a backup that is marked', () => {
  test('takes the place of the database once, which is kept aside', () => {
    const { dataDir, id, aside } = marked()
    expect(statSync(pendingRestorePath(dataDir)).mode & 0o777).toBe(0o600)
    expect(start(dataDir)).toEqual({
      restored: { backup: id, madeAt: expect.any(Number), movedTo: aside, asked: true },
      spend: 250,
      warnings: [],
    })
    expect(spendIn(aside)).toBe(500)
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
    expect(existsSync(`${databasePath(dataDir)}.new`)).toBe(false)
    expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600)
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 250 })
    expect(listBackups(dataDir).map((backup) => backup.id)).toEqual([id])
  })

  test('is settled like what a crash left running, its claims included', () => {
    const { dataDir } = marked()
    const { db } = openDatabase(dataDir, silentLog, NOON)
    expect(settleAbandoned(db, { now: NOON })).toMatchObject([{ id: 'req_running', costStatus: 'unsettled' }])
    expect(claimIdempotency(db, claim)).toMatchObject({ existing: { state: 'unknown' } })
    expect(checkTotals(db)).toEqual([])
    db.close()
  })

  test('takes along the log of a database that was not closed', () => {
    const { dataDir, aside } = marked()
    const crashed = new Sqlite(databasePath(dataDir))
    crashed.pragma('journal_mode = WAL')
    crashed.exec('UPDATE account SET spend_nano = 777')
    const log = readFileSync(`${databasePath(dataDir)}-wal`)
    const file = readFileSync(databasePath(dataDir))
    crashed.close()
    writeFileSync(databasePath(dataDir), file)
    writeFileSync(`${databasePath(dataDir)}-wal`, log)
    expect(start(dataDir)).toMatchObject({ spend: 250 })
    expect(spendIn(aside)).toBe(777)
  })

  test('does not make a revoked key valid again', () => {
    const { dataDir } = marked()
    const used = new Sqlite(databasePath(dataDir))
    used.exec(`UPDATE keys SET revoked_at = ${NOON + 7}`)
    used.close()
    const { db } = openDatabase(dataDir, silentLog, NOON)
    expect(loadState(db).keys).toMatchObject([{ id: 'key_a', revokedAt: NOON + 7, spendNano: 250 }])
    db.close()
  })

  test('replaces a damaged database too', () => {
    const { dataDir, id, aside } = marked()
    writeFileSync(databasePath(dataDir), 'no database at all\n'.repeat(1000))
    expect(start(dataDir)).toMatchObject({ restored: { backup: id, asked: true }, spend: 250 })
    expect(readFileSync(aside, 'utf8')).toContain('no database at all')
  })

  test('is brought up to date before it takes the place', () => {
    const { dataDir, id } = marked()
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

  test('is not pruned, however many come after it', () => {
    const { dataDir, id } = marked()
    for (let day = 1; day <= 9; day++) writeBackup(dataDir, NOON + day * 86_400_000)
    expect(listBackups(dataDir)).toHaveLength(8)
    expect(listBackups(dataDir).at(-1)?.id).toBe(id)
    expect(start(dataDir)).toMatchObject({ restored: { backup: id }, spend: 250 })
  })
})

describe('a start that breaks off', () => {
  test.each([
    [
      'while the copy is made',
      ({ dataDir }: Marked) => writeFileSync(`${databasePath(dataDir)}.new`, 'half'),
    ],
    ['when the database is aside', ({ dataDir, aside }: Marked) => renameSync(databasePath(dataDir), aside)],
    [
      'when the database is aside and its log is not',
      ({ dataDir, aside }: Marked) => {
        renameSync(databasePath(dataDir), aside)
        writeFileSync(`${databasePath(dataDir)}-wal`, '')
        writeFileSync(`${databasePath(dataDir)}.new`, 'half')
      },
    ],
  ])('%s is made good by the next', (_, breakOff) => {
    const it = marked()
    breakOff(it)
    expect(start(it.dataDir)).toMatchObject({
      restored: { backup: it.id, movedTo: it.aside },
      spend: 250,
      warnings: [],
    })
    expect(spendIn(it.aside)).toBe(500)
    expect(readdirSync(it.dataDir).filter((name) => /replaced|restore/.test(name))).toHaveLength(1)
  })

  test('before the mark is removed does not restore twice', () => {
    const { dataDir, id, aside } = marked()
    const mark = readFileSync(pendingRestorePath(dataDir))
    start(dataDir)
    const { db } = openDatabase(dataDir, silentLog, NOON)
    spend(db, 'req_since', 7)
    db.close()
    writeFileSync(pendingRestorePath(dataDir), mark)
    expect(start(dataDir)).toMatchObject({ restored: { backup: id, movedTo: aside }, spend: 257 })
    expect(spendIn(aside)).toBe(500)
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 257 })
  })

  test('when the database is aside puts it back if the backup has gone bad meanwhile', () => {
    const { dataDir, id, aside } = marked()
    renameSync(databasePath(dataDir), aside)
    writeFileSync(join(dataDir, 'backups', id), 'bad')
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 500 })
    expect(existsSync(aside)).toBe(false)
  })
})

describe('a mark that cannot be carried out is dropped, and the database stays', () => {
  test.each<[string, (marked: Marked) => void, RegExp]>([
    [
      'the backup is damaged',
      ({ dataDir, id }) => writeFileSync(join(dataDir, 'backups', id), 'bad'),
      /does not begin/,
    ],
    ['the backup is gone', ({ dataDir, id }) => rmSync(join(dataDir, 'backups', id)), /it is gone/],
    [
      'the backup is of a newer version',
      ({ dataDir, id }) => makeNewer(join(dataDir, 'backups', id)),
      /newer version/,
    ],
    [
      'the mark is cut off',
      ({ dataDir }) => writeFileSync(pendingRestorePath(dataDir), '{"backup":"toll'),
      /cannot be read/,
    ],
    [
      'the mark names a way out of the folder',
      ({ dataDir }) => writePendingRestore(dataDir, { backup: '../tollgate.db', markedAt: NOON }),
      /it is gone/,
    ],
  ])('%s', (_, spoil, reason) => {
    const it = marked()
    spoil(it)
    const started = start(it.dataDir)
    expect(started).toMatchObject({ restored: null, spend: 500, warnings: [expect.stringMatching(reason)] })
    expect(existsSync(pendingRestorePath(it.dataDir))).toBe(false)
    expect(readdirSync(it.dataDir).filter((name) => /replaced|\.new/.test(name))).toEqual([])
    expect(start(it.dataDir)).toMatchObject({ spend: 500, warnings: [] })
  })

  test('a migration of it fails', () => {
    const { dataDir } = marked()
    const broken = {
      name: 'broken',
      apply(db: Sqlite.Database) {
        if (db.prepare("SELECT 1 FROM requests WHERE id = 'req_after'").get() === undefined)
          throw new Error('no further')
      },
    }
    const { db, restored } = openDatabase(dataDir, silentLog, NOON, [...migrations, broken])
    expect(restored).toBeNull()
    expect(db.prepare('SELECT spend_nano FROM account').pluck().get()).toBe(500)
    db.close()
  })
})

function makeNewer(path: string): void {
  const db = new Sqlite(path)
  db.pragma('user_version = 99')
  db.close()
}

describe('marking', () => {
  test('lists backups newest first, keeps one mark, and takes it back for its own backup alone', async () => {
    const dataDir = tempDir()
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    expect(await store.backups()).toEqual({ backups: [], restoreAtStart: null })
    const first = await store.backup()
    const second = await store.backup()
    expect(await store.backups()).toEqual({ backups: [second, first], restoreAtStart: null })
    expect(second.bytes).toBe(statSync(join(dataDir, 'backups', second.id)).size)
    await store.scheduleRestore(first.id)
    expect(await store.scheduleRestore(second.id)).toMatchObject({ restoreAtStart: second.id })
    expect(await store.cancelRestore(first.id)).toMatchObject({ restoreAtStart: second.id })
    rmSync(join(dataDir, 'backups', second.id))
    expect(await store.cancelRestore(second.id)).toEqual({ backups: [first], restoreAtStart: null })
    expect(await store.cancelRestore(second.id)).toEqual({ reason: 'unknown' })
  })

  test('refuses what is not exactly the name of a backup', async () => {
    const { dataDir, id } = marked()
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    mkdirSync(join(dataDir, 'elsewhere'))
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
      expect([name, await store.scheduleRestore(name)]).toEqual([name, { reason: 'unknown' }])
    }
    expect((await store.backups()).restoreAtStart).toBeNull()
  })

  test('refuses a backup that could not take the place, and says why', async () => {
    const { dataDir, id } = marked()
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    const path = join(dataDir, 'backups', id)
    makeNewer(path)
    expect(await store.scheduleRestore(id)).toMatchObject({
      reason: 'newer',
      detail: expect.stringContaining('Update'),
    })
    writeFileSync(path, 'bad')
    expect(await store.scheduleRestore(id)).toMatchObject({ reason: 'damaged' })
    rmSync(path)
    symlinkSync(databasePath(dataDir), path)
    expect(await store.scheduleRestore(id)).toMatchObject({
      reason: 'damaged',
      detail: 'it is not a plain file',
    })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })

  test('goes on while a backup is made, one after the other', async () => {
    const { dataDir, id } = marked()
    const store = await openStore({ dataDir })
    const [made, after] = await Promise.all([store.backup(), store.scheduleRestore(id)])
    expect(after).toMatchObject({ restoreAtStart: id, backups: [{ id: made.id }, { id }] })
    const closing = store.cancelRestore(id)
    await store.close()
    expect(await closing).toMatchObject({ restoreAtStart: null })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })
})
