import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { NOON, openTestStore, recordRequest, sampleKey, sampleRequest } from '../testing/samples.ts'
import { newDataDir } from '../testing/temp-store.ts'
import { listBackups, writeBackup } from './backup.ts'
import { databasePath } from './files.ts'

test('a backup contains everything settled before it, and writes continue while it is made', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_before')
  let made = false
  const [first, second] = [store.backups.create(), store.backups.create()]
  const done = first.finally(() => {
    made = true
  })
  let during = 0
  while (!made) {
    await store.write('openRequest', sampleRequest(`req_during_${during}`))
    during += 1
  }
  const { id } = await done
  expect((await second).id).toBe(id)
  await store.close()
  expect(during).toBeGreaterThan(0)

  const copy = new Sqlite(join(dataDir, 'backups', id), { readonly: true })
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(copy.prepare("SELECT status FROM requests WHERE id = 'req_before'").pluck().get()).toBe('succeeded')
  copy.close()
})

test('the newest seven are retained, and unfinished files of a crash are removed', async () => {
  const dataDir = newDataDir()
  await (await openTestStore({ dataDir })).close()
  const made = Array.from({ length: 9 }, (_, day) => writeBackup(dataDir, NOON + day * 86_400_000))
  expect(listBackups(dataDir)).toEqual(made.toReversed().slice(0, 7))
  expect(listBackups(dataDir)[0]?.madeAt).toBe(NOON + 8 * 86_400_000)
  writeFileSync(join(dataDir, 'backups', 'unfinished.db'), 'half')
  writeBackup(dataDir, NOON + 9 * 86_400_000)
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(7)
})

test('the last backup is the newest, even if the clock went back', async () => {
  const dataDir = newDataDir()
  await (await openTestStore({ dataDir })).close()
  const early = 'tollgate-20991231T235959999Z.db'
  const ahead = writeBackup(dataDir, NOON + 400 * 86_400_000)
  renameSync(ahead.path, join(dataDir, 'backups', early))
  const stillAhead = writeBackup(dataDir, NOON + 300 * 86_400_000)
  const right = writeBackup(dataDir, NOON)
  expect(listBackups(dataDir).map(({ id }) => id)).toEqual([right.id, stillAhead.id, early])
  expect(listBackups(dataDir)[0]).toEqual(right)
  rmSync(databasePath(dataDir))
  const store = await openTestStore({ dataDir })
  expect(store.restored).toMatchObject({ backup: right.id, madeAt: NOON })
  await store.close()
  for (let day = 1; day <= 6; day++) writeBackup(dataDir, NOON + day * 86_400_000)
  expect(
    listBackups(dataDir)
      .map(({ madeAt }) => madeAt)
      .toSorted(),
  ).toEqual(Array.from({ length: 7 }, (_, day) => NOON + day * 86_400_000))
})

test('stored prompts and answers are in no backup', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  const canary = 'canary-prompt'
  const bodies = { request: canary.repeat(30_000), response: canary }
  await recordRequest(store, 'req_1', {}, { bodies })
  const { id, bytes } = await store.backups.create()
  expect(await store.read('getBodies', 'req_1')).toMatchObject(bodies)
  const atOnce = writeBackup(dataDir, NOON)
  await store.close()
  for (const path of [join(dataDir, 'backups', id), atOnce.path]) {
    expect(readFileSync(path).includes(canary)).toBe(false)
    const copy = new Sqlite(path, { readonly: true })
    expect(copy.prepare('SELECT count(*) FROM requests').pluck().get()).toBe(1)
    copy.close()
  }
  expect(bytes).toBeLessThan(canary.length * 30_000)
})

test('closing the store aborts a backup and removes its file', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  const made = store.backups.create().catch((error: unknown) => error)
  await store.close()
  expect(await made).toMatchObject({ code: 'closed', message: expect.stringContaining('aborted') })
  expect(existsSync(join(dataDir, 'backups', 'unfinished.db'))).toBe(false)
  expect(listBackups(dataDir)).toEqual([])
})

test('the start removes the file of a backup that was aborted', async () => {
  const dataDir = newDataDir()
  await (await openTestStore({ dataDir })).close()
  const leftovers = ['unfinished.db', 'unfinished.db-journal', 'uploaded.db'].map((name) =>
    join(dataDir, 'backups', name),
  )
  mkdirSync(join(dataDir, 'backups'), { recursive: true })
  for (const path of leftovers) writeFileSync(path, '')
  const store = await openTestStore({ dataDir })
  expect(leftovers.filter((path) => existsSync(path))).toEqual([])
  await store.close()
})

test('a backup is one compact file that opens as the database', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  const { id } = await store.backups.create()
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([id])
  await store.close()
  const copy = new Sqlite(join(dataDir, 'backups', id), { readonly: true })
  expect(copy.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(copy.pragma('auto_vacuum', { simple: true })).toBe(2)
  copy.close()
})
