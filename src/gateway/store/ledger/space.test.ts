import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { silentLog } from '../../platform/log.ts'
import { databasePath } from '../engine/files.ts'
import { latestSchema } from '../engine/migrations.ts'
import { openDatabase } from '../engine/open.ts'
import { NOON, openTestStore, recordRequest, sampleKey, sampleRequest } from '../testing/samples.ts'
import { newDataDir, storeWithKeys } from '../testing/temp-store.ts'

test('deleted prompts and answers are in no file after the store is closed', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  const bodies = { request: 'canary-long '.repeat(2_000), response: 'canary-short' }
  for (let nth = 0; nth < 30; nth++) await recordRequest(store, `req_${nth}`, {}, { bodies })
  const before = statSync(databasePath(dataDir)).size
  expect(await store.write('deleteBodies', { max: 20 })).toEqual({ deleted: 20, more: true })
  expect(await store.write('deleteBodies', { max: 20 })).toEqual({ deleted: 10, more: false })
  while ((await store.write('releaseFreePages', { all: true })).more);
  expect((await store.read('listRequests', { limit: 50 })).rows).toHaveLength(30)
  await store.close()
  const files = readdirSync(dataDir).filter((name) => name.startsWith('tollgate.db'))
  expect(files.filter((name) => readFileSync(join(dataDir, name)).includes('canary'))).toEqual([])
  expect(statSync(databasePath(dataDir)).size).toBeLessThan(Math.max(before, 400_000))
})

test('the log is pruned in order of arrival, except running requests, until nothing remains', async () => {
  const store = await storeWithKeys('key_a')
  await store.write('openRequest', sampleRequest('req_running'))
  for (let nth = 0; nth < 5; nth++) await recordRequest(store, `req_${nth}`, { createdAt: NOON - nth })
  const ids = async () =>
    (await store.read('listRequests', { limit: 50 })).rows.map(({ id }) => id).toSorted()
  expect(await store.write('pruneToSize', { maxBytes: 2 ** 40 })).toEqual({ deleted: 0, more: false })
  await store.write('pruneToSize', { maxBytes: 0, max: 2 })
  expect(await ids()).toEqual(['req_2', 'req_3', 'req_4', 'req_running'])
  while ((await store.write('pruneToSize', { maxBytes: 0 })).more);
  expect(await ids()).toEqual(['req_running'])
  expect(await store.read('checkTotals')).toEqual([])
})

test('a database of an earlier version is changed to release space, without data loss', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_1')
  await store.close()
  const old = new Sqlite(databasePath(dataDir))
  old.pragma('auto_vacuum = NONE')
  old.exec('VACUUM')
  expect(old.pragma('auto_vacuum', { simple: true })).toBe(0)
  old.close()
  const { db } = openDatabase(dataDir, silentLog, NOON)
  expect(db.pragma('auto_vacuum', { simple: true })).toBe(2)
  expect(db.pragma('user_version', { simple: true })).toBe(latestSchema())
  expect(db.prepare('SELECT id FROM requests').pluck().all()).toEqual(['req_1'])
  db.close()
})
