import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { STATUS_CODES } from '../ledger/request-codecs.ts'
import { openStore } from '../store.ts'
import { NOON, recordRequest, sampleKey, sampleRequest, temporary } from '../testing/samples.ts'
import { listBackups, writeBackup } from './backup.ts'
import { databasePath } from './files.ts'

const { tempDir } = temporary(onTestFinished)

test('a backup contains everything settled before it, and writes continue while it is made', async () => {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
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
  expect(copy.prepare("SELECT status FROM requests WHERE id = 'req_before'").pluck().get()).toBe(
    STATUS_CODES.succeeded,
  )
  copy.close()
})

test('the newest seven are retained, and unfinished files of a crash are removed', async () => {
  const dataDir = tempDir()
  await (await openStore({ dataDir })).close()
  const made = Array.from({ length: 9 }, (_, day) => writeBackup(dataDir, NOON + day * 86_400_000))
  expect(listBackups(dataDir)).toEqual(made.toReversed().slice(0, 7))
  expect(listBackups(dataDir)[0]?.madeAt).toBe(NOON + 8 * 86_400_000)
  writeFileSync(join(dataDir, 'backups', 'unfinished.db'), 'half')
  writeBackup(dataDir, NOON + 9 * 86_400_000)
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(7)
})

test('the last backup is the newest, even if the clock went back', async () => {
  const dataDir = tempDir()
  await (await openStore({ dataDir })).close()
  const early = 'tollgate-20991231T235959999Z.db'
  const ahead = writeBackup(dataDir, NOON + 400 * 86_400_000)
  renameSync(ahead.path, join(dataDir, 'backups', early))
  const stillAhead = writeBackup(dataDir, NOON + 300 * 86_400_000)
  const right = writeBackup(dataDir, NOON)
  expect(listBackups(dataDir).map(({ id }) => id)).toEqual([right.id, stillAhead.id, early])
  expect(listBackups(dataDir)[0]).toEqual(right)
  rmSync(databasePath(dataDir))
  const store = await openStore({ dataDir })
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
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
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
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  const made = store.backups.create().catch((error: unknown) => error)
  await store.close()
  expect(await made).toMatchObject({ code: 'closed', message: expect.stringContaining('aborted') })
  expect(existsSync(join(dataDir, 'backups', 'unfinished.db'))).toBe(false)
  expect(listBackups(dataDir)).toEqual([])
})

/** The check of this table takes seconds: "part" is compared with "whole" at each place. */
const SLOW_TABLE = 'CREATE TABLE slow (whole BLOB, part BLOB, CHECK (instr(whole, part) = 0))'
const SLOW_BYTES = 800_000

test('closing the store does not wait for the check of a backup, which nothing can interrupt', async () => {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  const db = new Sqlite(databasePath(dataDir))
  db.pragma('ignore_check_constraints = ON')
  db.exec(SLOW_TABLE)
  const half = Buffer.alloc(SLOW_BYTES / 2, 'a')
  db.prepare('INSERT INTO slow VALUES (?, ?)').run(
    Buffer.alloc(SLOW_BYTES, 'a'),
    Buffer.concat([half, Buffer.from('b')]),
  )
  db.close()
  const events: string[] = []
  const onWorker = (worker: Worker) => void worker.once('exit', () => events.push('checked'))
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const made = store.backups.create().catch((error: unknown) => error)
  const unfinished = join(dataDir, 'backups', 'unfinished.db')
  // The copy is complete and no longer in WAL mode (byte 18 of its header), so only the check is left.
  await expect.poll(() => existsSync(unfinished) && readFileSync(unfinished)[18]).toBe(1)
  for (let n = 0; n < 10; n++) await store.read('loadState')
  process.off('worker', onWorker)
  await store.close()
  events.push('closed')
  expect(await made).toMatchObject({ code: 'closed', message: expect.stringContaining('aborted') })
  expect(events).toEqual(['closed'])
  expect(listBackups(dataDir)).toEqual([])
  await expect.poll(() => events).toEqual(['closed', 'checked'])
  expect(listBackups(dataDir)).toEqual([])
})

test('the start removes the file of a backup that was aborted', async () => {
  const dataDir = tempDir()
  await (await openStore({ dataDir })).close()
  const leftovers = ['unfinished.db', 'unfinished.db-journal', 'uploaded.db'].map((name) =>
    join(dataDir, 'backups', name),
  )
  mkdirSync(join(dataDir, 'backups'), { recursive: true })
  for (const path of leftovers) writeFileSync(path, '')
  const store = await openStore({ dataDir })
  expect(leftovers.filter((path) => existsSync(path))).toEqual([])
  await store.close()
})

test('a backup is one compact file that opens as the database', async () => {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  const { id } = await store.backups.create()
  expect(readdirSync(join(dataDir, 'backups'))).toEqual([id])
  await store.close()
  const copy = new Sqlite(join(dataDir, 'backups', id), { readonly: true })
  expect(copy.pragma('journal_mode', { simple: true })).toBe('delete')
  expect(copy.pragma('auto_vacuum', { simple: true })).toBe(2)
  copy.close()
})
