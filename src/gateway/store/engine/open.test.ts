import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { NOON, openTestStore } from '../testing/samples.ts'
import { tempDir } from '../testing/temp-store.ts'
import { fillDataDir } from '../testing/used-data-dir.ts'
import { listBackups } from './backup.ts'
import { databasePath } from './files.ts'
import { latestSchema, migrations } from './migrations.ts'
import { openDatabase } from './open.ts'

const usedDataDir = (backup: boolean) => fillDataDir(tempDir(), backup)

async function getSpend(dataDir: string): Promise<number> {
  const store = await openTestStore({ dataDir })
  const { accountSpendNano } = await store.read('loadState')
  await store.close()
  return accountSpendNano
}
describe('a missing database', () => {
  test('is restored from the newest backup instead of created', async () => {
    const dataDir = await usedDataDir(true)
    rmSync(databasePath(dataDir))
    expect(await getSpend(dataDir)).toBe(250)
  })

  test('is an error when only bad backups or a left-over log show that there was one', async () => {
    const onlyBad = tempDir()
    mkdirSync(join(onlyBad, 'backups'))
    writeFileSync(join(onlyBad, 'backups', 'tollgate-20260101T000000000Z.db'), 'bad')
    await expect(openTestStore({ dataDir: onlyBad })).rejects.toMatchObject({ code: 'corrupt' })

    const onlyLog = tempDir()
    writeFileSync(`${databasePath(onlyLog)}-wal`, 'left behind')
    await expect(openTestStore({ dataDir: onlyLog })).rejects.toMatchObject({ code: 'corrupt' })
    expect(existsSync(databasePath(onlyLog))).toBe(false)
  })

  test('is created in a new data dir, despite the remains of an interrupted attempt', async () => {
    const dataDir = tempDir()
    writeFileSync(`${databasePath(dataDir)}.new`, 'half')
    expect(await getSpend(dataDir)).toBe(0)
    expect(readdirSync(dataDir)).toEqual(['tollgate.db'])
  })
})
test('a database of a newer version is rejected, and left unchanged', async () => {
  const dataDir = await usedDataDir(true)
  const db = new Sqlite(databasePath(dataDir))
  db.pragma('user_version = 99')
  db.close()
  await expect(openTestStore({ dataDir })).rejects.toMatchObject({
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
  await expect(openTestStore({ dataDir: linked })).rejects.toThrow(/symbolic link/)

  const dangling = tempDir()
  symlinkSync(join(dangling, 'missing'), databasePath(dangling))
  await expect(openTestStore({ dataDir: dangling })).rejects.toThrow(/symbolic link/)
  expect(existsSync(join(dangling, 'missing'))).toBe(false)

  const linkedLog = tempDir()
  copyFileSync(databasePath(real), databasePath(linkedLog))
  symlinkSync(join(real, 'target'), `${databasePath(linkedLog)}-wal`)
  await expect(openTestStore({ dataDir: linkedLog })).rejects.toThrow(/symbolic link/)

  const folder = tempDir()
  mkdirSync(databasePath(folder))
  await expect(openTestStore({ dataDir: folder })).rejects.toThrow(/not a regular file/)
})

test('only the owner can read the files, even those with other permissions before', async () => {
  const dataDir = await usedDataDir(true)
  chmodSync(databasePath(dataDir), 0o644)
  const store = await openTestStore({ dataDir })
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
  expect(db.pragma('user_version', { simple: true })).toBe(latestSchema() + 1)
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
  expect(await getSpend(dataDir)).toBe(250)
})

test('a restore interrupted by a crash is completed at the next start', async () => {
  const dataDir = await usedDataDir(true)
  renameSync(databasePath(dataDir), `${databasePath(dataDir)}.damaged-20260101T000000000Z`)
  writeFileSync(`${databasePath(dataDir)}.new`, 'half a copy')
  writeFileSync(`${databasePath(dataDir)}-wal`, 'log of the damaged database')
  expect(await getSpend(dataDir)).toBe(250)
})
