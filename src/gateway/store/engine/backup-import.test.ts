import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../store.ts'
import { unpackRelease } from '../testing/releases.ts'
import { NOON, openTestStore, recordRequest, sampleKey } from '../testing/samples.ts'
import { newDataDir, tempDir, tempStore } from '../testing/temp-store.ts'
import { createUnfinished, writeBackup } from './backup.ts'
import { backupTasks } from './backup-tasks.ts'
import { databasePath } from './files.ts'
import { latestSchema } from './migrations.ts'

/** The file of a backup with one key and one request. */
async function makeFile(): Promise<Buffer> {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(
    store,
    'req_1',
    { createdAt: NOON + 5 },
    { bodies: { request: 'secret prompt', response: null } },
  )
  await store.close()
  return readFileSync(writeBackup(dataDir, NOON).path)
}

/** The file after a change by its owner. */
function change(file: Buffer, sql: string): Buffer {
  const path = join(tempDir(), 'changed.db')
  const db = new Sqlite(file)
  db.exec(sql)
  db.prepare<[string]>('VACUUM INTO ?').run(path)
  db.close()
  return readFileSync(path)
}

async function* listChunks(file: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 10_000) yield file.subarray(at, at + 10_000)
}

const FILES_ID = 'f'.repeat(32)

const add = (store: Store, file: Buffer) => store.backups.import(listChunks(file))

test('a file becomes a backup with the time of its newest entry, and is restored on request', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_mine'))
  const added = await add(
    store,
    change(
      await makeFile(),
      `UPDATE meta SET value = CASE name WHEN 'created_at' THEN '1' WHEN 'install_id' THEN '${FILES_ID}' ELSE value END`,
    ),
  )
  if ('reason' in added) throw new Error(added.reason)
  expect(added).toMatchObject({
    id: expect.stringMatching(/^imported-20260310T120000005Z-1\.db$/),
    imported: true,
  })
  expect(added.madeAt).toBe(NOON + 5)
  expect((await store.backups.list()).backups).toEqual([added])
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([added.id])
  expect(await store.backups.scheduleRestore(added.id)).toMatchObject({ restoreAtStart: added.id })
  await store.close()

  const restored = await openTestStore({ dataDir })
  onTestFinished(() => restored.close())
  expect(restored.restored).toMatchObject({ backup: added.id, requested: true })
  const { keys, installId, isForeign } = await restored.read('loadState')
  expect(keys).toMatchObject([{ id: 'key_a', revokedAt: expect.any(Number) }])
  expect([installId === FILES_ID, isForeign]).toEqual([false, true])
})

test('other files, damaged ones and those of a newer version are refused, and nothing stays', async () => {
  const dataDir = newDataDir()
  const good = await makeFile()
  const damaged = Buffer.from(good)
  damaged.fill(0x5a, 4096 * 3, 4096 * 6)
  const refused: [Buffer, string][] = [
    [Buffer.from('hello'), 'foreign'],
    [Buffer.alloc(0), 'foreign'],
    [change(good, 'DROP TABLE settings'), 'foreign'],
    [change(good, 'CREATE TRIGGER t AFTER INSERT ON requests BEGIN DELETE FROM keys; END'), 'foreign'],
    [change(good, 'CREATE VIEW v AS SELECT 1'), 'foreign'],
    [change(good, 'CREATE VIEW "tollgate_a""; DELETE FROM keys; --" AS SELECT 1'), 'foreign'],
    [change(good, 'CREATE VIRTUAL TABLE extra USING rtree(a, b, c)'), 'foreign'],
    [change(good, 'CREATE TABLE "a); DELETE FROM keys; --" (b)'), 'foreign'],
    [change(good, "ALTER TABLE keys ADD COLUMN more TEXT CHECK (length(more) < 9) DEFAULT 'x'"), 'foreign'],
    [change(good, 'ALTER TABLE requests RENAME COLUMN status TO state'), 'foreign'],
    [change(good, 'CREATE INDEX extra ON keys (abs(created_at))'), 'foreign'],
    [change(good, `PRAGMA user_version = ${latestSchema() + 1}`), 'newer'],
    [damaged, 'damaged'],
  ]
  for (const [file, reason] of refused) {
    const path = createUnfinished(dataDir, 'uploaded')
    writeFileSync(path, file)
    expect([reason, backupTasks.import(dataDir, NOON, path)]).toMatchObject([reason, { reason }])
  }
  const store = await tempStore({ dataDir })
  expect(await add(store, damaged)).toMatchObject({ reason: 'damaged' })
  expect((await store.backups.list()).backups).toEqual([])
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
})

test('a backup of an earlier version is imported', async () => {
  const store = await tempStore()
  const dataDir = tempDir()
  unpackRelease('0.1.0', dataDir)
  const old = join(tempDir(), 'old.db')
  const db = new Sqlite(databasePath(dataDir))
  db.exec(
    'CREATE TRIGGER t AFTER DELETE ON request_bodies BEGIN DELETE FROM keys; END; CREATE TABLE more (a)',
  )
  db.prepare<[string]>('VACUUM INTO ?').run(old)
  const keys = db.prepare('SELECT count(*) FROM keys').pluck().get()
  db.close()
  const added = await add(store, readFileSync(old))
  if ('reason' in added) throw new Error(added.reason)
  const imported = new Sqlite(added.path, { readonly: true })
  onTestFinished(() => void imported.close())
  expect(imported.prepare('SELECT count(*) FROM keys').pluck().get()).toBe(keys)
  // Its own tables and nothing else: a trigger of someone else is gone.
  expect(imported.prepare("SELECT 1 FROM sqlite_schema WHERE name IN ('t', 'more')").all()).toEqual([])
})

test('an upload that fails is rejected with its own error, and the next one works', async () => {
  const store = await tempStore()
  const file = await makeFile()
  const failing = (async function* () {
    yield file.subarray(0, 5_000)
    throw new RangeError('the client left')
  })()
  await expect(store.backups.import(failing)).rejects.toThrow('the client left')
  const both = await Promise.all([add(store, file), add(store, file)])
  expect(both).toMatchObject([{ imported: true }, { imported: true }])
})

test('of imported files the two newest stay, they replace no other backup, and none is restored by itself', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  const { id } = await store.backups.create()
  const file = await makeFile()
  for (let n = 0; n < 3; n++) await add(store, file)
  const { backups } = await store.backups.list()
  expect(backups.map((backup) => backup.imported)).toEqual([true, true, false])
  await store.close()
  writeFileSync(databasePath(dataDir), 'no database')
  const restored = await openTestStore({ dataDir })
  onTestFinished(() => restored.close())
  expect(restored.restored).toMatchObject({ backup: id, requested: false })
})
