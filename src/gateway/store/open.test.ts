import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { listBackups } from './backup.ts'
import { databasePath } from './files.ts'
import { openRequest, settleRequest } from './ledger.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open.ts'
import { openStore, type StoreError } from './store.ts'
import {
  NOON,
  recordRequest,
  sampleKey,
  sampleRequest,
  sampleSettlement,
  temporary,
} from './testing/samples.ts'

const { tempDir } = temporary(onTestFinished)

/** A data dir in which one request of 250 nano-dollars was settled. */
async function usedDataDir(backup: boolean): Promise<string> {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_1')
  if (backup) {
    await store.backup()
    await recordRequest(store, 'req_after_backup')
  }
  await store.close()
  return dataDir
}

async function spendOf(dataDir: string): Promise<number> {
  const store = await openStore({ dataDir })
  const { accountSpendNano } = await store.read('loadState')
  await store.close()
  return accountSpendNano
}

const damages: Record<string, (path: string) => void> = {
  emptied: (path) => truncateSync(path, 0),
  truncated: (path) => truncateSync(path, 4096 * 3),
  'overwritten at its start': (path) => overwrite(path, 0, 100),
  'overwritten inside': (path) => overwrite(path, 4096, 4096 * 6),
  "another program's file": (path) =>
    writeFileSync(path, 'hello, this is not a database at all\n'.repeat(500)),
  'an empty database without a schema': (path) => {
    rmSync(path)
    new Sqlite(path).exec('VACUUM').close()
  },
}

function overwrite(path: string, from: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from)
  closeSync(file)
}

describe.each(Object.entries(damages))('a database that is %s', (_, damage) => {
  test('is rejected and left unchanged when there is no backup', async () => {
    const dataDir = await usedDataDir(false)
    damage(databasePath(dataDir))
    const before = readFileSync(databasePath(dataDir))
    await expect(openStore({ dataDir })).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' })
    expect(readFileSync(databasePath(dataDir)).equals(before)).toBe(true)
  })

  test('is moved aside and replaced by the newest good backup', async () => {
    const dataDir = await usedDataDir(true)
    damage(databasePath(dataDir))
    writeFileSync(join(dataDir, 'backups', 'tollgate-20991231T235959999Z.db'), 'a newer backup that is bad')
    const warnings: string[] = []
    const store = await openStore({ dataDir, log: { ...silentLog, warn: (line) => warnings.push(line) } })
    expect(await store.read('loadState')).toMatchObject({ accountSpendNano: 250, isEmpty: false })
    expect(await store.read('getRequest', 'req_after_backup')).toBeNull()
    expect(await store.read('checkTotals')).toEqual([])
    expect(store.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20\d{6}T/) })
    expect(existsSync(store.restored?.movedTo ?? '')).toBe(true)
    expect(warnings).toHaveLength(1)
    await store.close()
    expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600)
  })
})

describe('a missing database', () => {
  test('is restored from the newest backup instead of created', async () => {
    const dataDir = await usedDataDir(true)
    rmSync(databasePath(dataDir))
    expect(await spendOf(dataDir)).toBe(250)
  })

  test('is an error when only bad backups or a left-over log show that there was one', async () => {
    const onlyBad = tempDir()
    mkdirSync(join(onlyBad, 'backups'))
    writeFileSync(join(onlyBad, 'backups', 'tollgate-20260101T000000000Z.db'), 'bad')
    await expect(openStore({ dataDir: onlyBad })).rejects.toMatchObject({ code: 'corrupt' })

    const onlyLog = tempDir()
    writeFileSync(`${databasePath(onlyLog)}-wal`, 'left behind')
    await expect(openStore({ dataDir: onlyLog })).rejects.toMatchObject({ code: 'corrupt' })
    expect(existsSync(databasePath(onlyLog))).toBe(false)
  })

  test('is created in a new data dir, despite the remains of an interrupted attempt', async () => {
    const dataDir = tempDir()
    writeFileSync(`${databasePath(dataDir)}.new`, 'half')
    expect(await spendOf(dataDir)).toBe(0)
    expect(readdirSync(dataDir)).toEqual(['tollgate.db'])
  })
})

test('damage found while the store is open is fatal', async () => {
  const dataDir = await usedDataDir(false)
  const filled = await openStore({ dataDir })
  await Promise.all(
    Array.from({ length: 2000 }, (_, i) => filled.write('openRequest', sampleRequest(`req_more_${i}`))),
  )
  await filled.close()

  const fatal: StoreError[] = []
  const store = await openStore({ dataDir, onFatal: (error) => fatal.push(error) })
  overwrite(databasePath(dataDir), 4096, statSync(databasePath(dataDir)).size - 4096)
  await expect(store.read('listRequests', { limit: 500 })).rejects.toMatchObject({ code: 'corrupt' })
  await expect(store.read('listRequests', { limit: 500 })).rejects.toMatchObject({ code: 'corrupt' })
  expect(fatal).toMatchObject([{ code: 'corrupt' }])
  await store.close()
})

/** A data dir with a backup, in which the database is so large that the start checks only parts of it. */
async function largeDataDir(): Promise<string> {
  const dataDir = await usedDataDir(true)
  const { db } = openDatabase(dataDir, silentLog, NOON)
  const request = 'x'.repeat(100_000)
  db.transaction(() => {
    for (let nth = 0; nth < 30; nth++) {
      openRequest(db, sampleRequest(`large_${nth}`))
      settleRequest(db, sampleSettlement(`large_${nth}`, { bodies: { request, response: null } }))
    }
  })()
  db.close()
  return dataDir
}

describe('a large database', () => {
  test('that is damaged in a request is replaced at the start after the one that found it', async () => {
    const dataDir = await largeDataDir()
    const db = new Sqlite(databasePath(dataDir))
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'requests_by_id'").pluck().get()
    db.close()
    overwrite(databasePath(dataDir), (Number(page) - 1) * 4096, 4096)

    const fatal: StoreError[] = []
    const store = await openStore({ dataDir, onFatal: (error) => fatal.push(error) })
    expect(store.restored).toBeNull()
    expect(await store.read('isCheckDue', NOON)).toBe(true)
    await expect(store.read('checkDamage')).rejects.toMatchObject({ code: 'corrupt' })
    expect(fatal).toMatchObject([{ code: 'corrupt' }])
    await store.close()

    const next = await openStore({ dataDir })
    expect(next.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20/) })
    expect(await next.read('loadState')).toMatchObject({ accountSpendNano: 250 })
    await next.close()
    expect(existsSync(join(dataDir, 'check-at-start'))).toBe(false)
  })

  test.each([
    ['truncated', (path: string) => truncateSync(path, 3 * 1024 * 1024)],
    ['overwritten at its start', (path: string) => overwrite(path, 0, 100)],
    ['damaged where the start reads', (path: string) => overwrite(path, 4096, 4096 * 8)],
  ])('that is %s is replaced at the start', async (_, damage) => {
    const dataDir = await largeDataDir()
    expect(statSync(databasePath(dataDir)).size).toBeGreaterThan(3 * 1024 * 1024 - 1)
    damage(databasePath(dataDir))
    const store = await openStore({ dataDir })
    expect(store.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20/) })
    await store.close()
  })
})

test('a check is due a day after the last, and after an end that was not clean', async () => {
  const dataDir = await usedDataDir(false)
  const isDueAfter = async (ms: number) => {
    const store = await openStore({ dataDir })
    const due = await store.read('isCheckDue', NOON + ms)
    await store.close()
    return due
  }
  const store = await openStore({ dataDir })
  await store.read('checkDamage')
  await store.write('noteCheck', NOON)
  await store.close()
  expect(await isDueAfter(1)).toBe(false)
  expect(await isDueAfter(86_400_000)).toBe(true)
  expect(await isDueAfter(-1)).toBe(true)
  openDatabase(dataDir, silentLog, NOON).db.close()
  expect(await isDueAfter(1)).toBe(true)
})

test('a database of a newer version is rejected, and left unchanged', async () => {
  const dataDir = await usedDataDir(true)
  const db = new Sqlite(databasePath(dataDir))
  db.pragma('user_version = 99')
  db.close()
  await expect(openStore({ dataDir })).rejects.toMatchObject({
    code: 'newer',
    message: expect.stringContaining('Update Tollgate'),
  })
  const unchanged = new Sqlite(databasePath(dataDir))
  expect(unchanged.pragma('user_version', { simple: true })).toBe(99)
  unchanged.close()
})

test('symbolic links and anything but regular files are rejected', async () => {
  const real = await usedDataDir(false)
  const linked = tempDir()
  symlinkSync(databasePath(real), databasePath(linked))
  await expect(openStore({ dataDir: linked })).rejects.toThrow(/symbolic link/)

  const dangling = tempDir()
  symlinkSync(join(dangling, 'missing'), databasePath(dangling))
  await expect(openStore({ dataDir: dangling })).rejects.toThrow(/symbolic link/)
  expect(existsSync(join(dangling, 'missing'))).toBe(false)

  const linkedLog = tempDir()
  copyFileSync(databasePath(real), databasePath(linkedLog))
  symlinkSync(join(real, 'target'), `${databasePath(linkedLog)}-wal`)
  await expect(openStore({ dataDir: linkedLog })).rejects.toThrow(/symbolic link/)

  const folder = tempDir()
  mkdirSync(databasePath(folder))
  await expect(openStore({ dataDir: folder })).rejects.toThrow(/not a regular file/)
})

test('only the owner can read the files, even those with other permissions before', async () => {
  const dataDir = await usedDataDir(true)
  chmodSync(databasePath(dataDir), 0o644)
  const store = await openStore({ dataDir })
  await store.write('touchKeys', [{ id: 'key_a', at: NOON }])
  const modes = [dataDir, join(dataDir, 'backups')].flatMap((dir) =>
    readdirSync(dir, { withFileTypes: true }).map((entry) => [
      entry.isDirectory() ? 'folder' : 'file',
      (statSync(join(dir, entry.name)).mode & 0o777).toString(8),
    ]),
  )
  await store.close()
  expect(modes.length).toBeGreaterThanOrEqual(5)
  expect(modes.filter(([kind, mode]) => mode !== (kind === 'folder' ? '700' : '600'))).toEqual([])
})

test('every open enables durability', async () => {
  const dataDir = await usedDataDir(false)
  for (let attempt = 0; attempt < 2; attempt++) {
    const { db } = openDatabase(dataDir, silentLog, NOON)
    const pragma = (name: string) => db.pragma(name, { simple: true })
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1])
    db.close()
  }
})

test('a migration backs up first and is applied once', async () => {
  const dataDir = await usedDataDir(false)
  const known = [
    ...migrations,
    { name: 'next', apply: (db: Sqlite.Database) => db.exec('CREATE TABLE next (a INTEGER) STRICT') },
  ]
  openDatabase(dataDir, silentLog, NOON, known).db.close()
  expect(listBackups(dataDir)).toHaveLength(1)
  const { db } = openDatabase(dataDir, silentLog, NOON + 1, known)
  expect(db.pragma('user_version', { simple: true })).toBe(migrations.length + 1)
  db.close()
  expect(listBackups(dataDir)).toHaveLength(1)
})

test('a migration that fails leaves the database unchanged', async () => {
  const dataDir = await usedDataDir(false)
  const broken = {
    name: 'broken',
    apply(db: Sqlite.Database) {
      db.exec('CREATE TABLE half (a INTEGER) STRICT')
      throw new Error('migration failed')
    },
  }
  expect(() => openDatabase(dataDir, silentLog, NOON, [...migrations, broken])).toThrow('migration failed')
  const { db } = openDatabase(dataDir, silentLog, NOON)
  expect(db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get()).toBeUndefined()
  db.close()
  expect(await spendOf(dataDir)).toBe(250)
})

test('a restore interrupted by a crash is completed at the next start', async () => {
  const dataDir = await usedDataDir(true)
  renameSync(databasePath(dataDir), `${databasePath(dataDir)}.damaged-20260101T000000000Z`)
  writeFileSync(`${databasePath(dataDir)}.new`, 'half a copy')
  writeFileSync(`${databasePath(dataDir)}-wal`, 'log of the damaged database')
  expect(await spendOf(dataDir)).toBe(250)
})
