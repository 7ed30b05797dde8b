import { expect, test, vi } from 'vitest'
import type { SettingsUpdate } from '../../shared/api/account.ts'
import { nanoUsd } from '../../shared/money/money.ts'
import { systemClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { Settings } from '../settings/settings.ts'
import { withConnection } from '../store/engine/connection.ts'
import { databasePath } from '../store/engine/files.ts'
import { recordRequest, sampleKey } from '../store/testing/samples.ts'
import { newDataDir, tempStore } from '../store/testing/temp-store.ts'
import { startMaintenance } from './maintenance.ts'

const DAY_MS = 86_400_000

async function start() {
  const dataDir = newDataDir()
  const store = await tempStore({ dataDir })
  const clock = { ...systemClock, now: vi.fn(() => Date.now()) }
  let settings = new Settings(store, {})
  /** Starts maintenance, as a new process would, and stops it after one round. */
  const round = async () => {
    settings = new Settings(store, (await store.read('loadState')).settings)
    const list = vi.spyOn(store.backups, 'list').mockClear()
    const create = vi.spyOn(store.backups, 'create').mockClear()
    const maintenance = startMaintenance({ store, clock, settings, log: silentLog }, 0)
    await vi.waitFor(() => expect(list).toHaveResolved())
    await create.mock.results[0]?.value
    await maintenance.stop()
  }
  const change = (patch: SettingsUpdate) => settings.update(patch)
  const ids = async () => (await store.read('listRequests', { limit: 500 })).rows.map(({ id }) => id)
  return { dataDir, store, clock, round, change, ids }
}

test('every run of the app makes a backup, but at most one a day', async () => {
  const { store, clock, round } = await start()
  const count = async () => (await store.backups.list()).backups.length
  await round()
  expect(await count()).toBe(1)
  await round()
  expect(await count()).toBe(1)
  clock.now.mockImplementation(() => Date.now() + DAY_MS)
  await round()
  expect(await count()).toBe(2)
})

test('a backup dated in the future, by a wrong clock, does not prevent a new one', async () => {
  const { store, clock, round } = await start()
  await round()
  clock.now.mockImplementation(() => Date.now() - DAY_MS)
  await round()
  expect((await store.backups.list()).backups).toHaveLength(2)
})

test('rows past their retention are pruned soon after the start', async () => {
  const { store, round } = await start()
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_old', { createdAt: Date.now() - 91 * DAY_MS })
  await recordRequest(store, 'req_new', { createdAt: Date.now() - 89 * DAY_MS })
  await round()
  const { rows } = await store.read('listRequests', { limit: 10 })
  expect(rows.map(({ id }) => id)).toEqual(['req_new'])
})

test('a clock that is far ahead for an hour causes at most one day of rows and stored answers to be deleted', async () => {
  const { store, clock, round, ids } = await start()
  await store.write('insertKey', sampleKey('key_a'))
  await round()
  for (const days of [89.5, 88, 1])
    await recordRequest(store, `req_${days}`, { createdAt: Date.now() - days * DAY_MS })
  const idempotency = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: Date.now() }
  await store.write('claimIdempotency', idempotency)
  clock.now.mockImplementation(() => Date.now() + 400 * DAY_MS)
  await round()
  expect(await ids()).toEqual(['req_1', 'req_88'])
  clock.now.mockImplementation(() => Date.now())
  await round()
  expect(await ids()).toEqual(['req_1', 'req_88'])
  await recordRequest(store, 'req_old', { createdAt: Date.now() - 91 * DAY_MS })
  await round()
  expect(await ids()).toEqual(['req_1', 'req_88'])
})

test('the oldest rows are pruned when the log exceeds its size limit; totals are unchanged', async () => {
  const { store, round, change, ids } = await start()
  await store.write('insertKey', sampleKey('key_a'))
  const bodies = { request: 'x'.repeat(1_000_000), response: null }
  const now = Date.now()
  for (let nth = 0; nth < 20; nth++)
    await recordRequest(store, `req_${nth}`, { createdAt: now }, { bodies, costNano: nanoUsd(10) })
  await round()
  expect(await ids()).toHaveLength(20)
  await change({ maxLogMb: 16 })
  await round()
  const remaining = await ids()
  expect(remaining.length).toBeLessThan(20)
  expect(remaining[0]).toBe('req_19')
  expect((await store.read('loadState')).accountSpendNano).toBe(200)
  expect(await store.read('checkTotals')).toEqual([])
})

test('the space of pruned rows is released to the file system', async () => {
  const { dataDir, store, round, change } = await start()
  await store.write('insertKey', sampleKey('key_a'))
  const bodies = { request: 'x'.repeat(3_000_000), response: null }
  for (let nth = 0; nth < 10; nth++)
    await recordRequest(store, `req_${nth}`, { createdAt: Date.now() - 30 * DAY_MS }, { bodies })
  const size = () =>
    withConnection(databasePath(dataDir), (db) => Number(db.pragma('page_count', { simple: true })))
  const before = size()
  await change({ retentionDays: 1 })
  await round()
  expect(size()).toBeLessThan(before / 4)
})

test('the activity history keeps 90 days, and the last 10,000 entries', async () => {
  const { store, round } = await start()
  const actor = { kind: 'gateway', id: null, name: null } as const
  const add = (at: number) => store.write('addActivity', { at, kind: 'all-paused', actor, subject: null })
  const times = async () => {
    const filter = { limit: 20_000, reader: actor }
    return (await store.read('listActivity', filter)).rows.map(({ at }) => at)
  }
  const now = Date.now()
  await add(now - 91 * DAY_MS)
  await add(now - 89 * DAY_MS)
  await round()
  expect(await times()).toEqual([now - 89 * DAY_MS])
  await Promise.all(Array.from({ length: 10_000 }, () => add(now)))
  await round()
  expect(await times()).toEqual(Array.from({ length: 10_000 }, () => now))
})
