import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { SettingsUpdate } from '../../shared/account.ts'
import { nanoUsd } from '../../shared/money.ts'
import { systemClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { Settings } from '../settings/settings.ts'
import { withConnection } from '../store/connection.ts'
import { databasePath } from '../store/files.ts'
import { openStore, type Store } from '../store/store.ts'
import { recordRequest, sampleKey } from '../store/testing/samples.ts'
import { startMaintenance } from './maintenance.ts'

const DAY_MS = 86_400_000

async function started() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-maintenance-'))
  const store = await openStore({ dataDir })
  onTestFinished(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const clock = { ...systemClock, now: vi.fn(() => Date.now()) }
  let settings = new Settings(store, {})
  /** One round of a start of its own, from its start to its end. */
  const round = async () => {
    settings = new Settings(store, (await store.read('loadState')).settings)
    let making: Promise<unknown> = Promise.resolve()
    const listed = Promise.withResolvers<void>()
    const watched: Store = {
      ...store,
      backups: () => store.backups().finally(() => setImmediate(listed.resolve)),
      backup: () => {
        const made = store.backup()
        making = made
        return made
      },
    }
    const maintenance = startMaintenance({ store: watched, clock, settings, log: silentLog }, 0)
    await listed.promise
    await making
    await maintenance.stop()
  }
  const change = (patch: SettingsUpdate) => settings.update(patch)
  const kept = async () => (await store.read('listRequests', { limit: 500 })).rows.map(({ id }) => id)
  return { dataDir, store, clock, round, change, kept }
}

test('every run of the app has its backup, but only one a day', async () => {
  const { store, clock, round } = await started()
  const made = async () => (await store.backups()).backups.length
  await round()
  expect(await made()).toBe(1)
  await round()
  expect(await made()).toBe(1)
  clock.now.mockImplementation(() => Date.now() + DAY_MS)
  await round()
  expect(await made()).toBe(2)
})

test('a backup from the future, by a clock that was wrong, does not stand for a new one', async () => {
  const { store, clock, round } = await started()
  await round()
  clock.now.mockImplementation(() => Date.now() - DAY_MS)
  await round()
  expect((await store.backups()).backups).toHaveLength(2)
})

test('rows past their retention are pruned soon after the start', async () => {
  const { store, round } = await started()
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_old', { createdAt: Date.now() - 91 * DAY_MS })
  await recordRequest(store, 'req_new', { createdAt: Date.now() - 89 * DAY_MS })
  await round()
  const { rows } = await store.read('listRequests', { limit: 10 })
  expect(rows.map(({ id }) => id)).toEqual(['req_new'])
})

test('a clock that is far ahead for an hour takes a day of rows at most, and of answers', async () => {
  const { store, clock, round, kept } = await started()
  await store.write('insertKey', sampleKey('key_a'))
  await round()
  for (const days of [89.5, 88, 1])
    await recordRequest(store, `req_${days}`, { createdAt: Date.now() - days * DAY_MS })
  const idempotency = { id: 'idem', keyId: 'key_a', bodyHash: Uint8Array.of(1), createdAt: Date.now() }
  await store.write('claimIdempotency', idempotency)
  clock.now.mockImplementation(() => Date.now() + 400 * DAY_MS)
  await round()
  expect(await kept()).toEqual(['req_1', 'req_88'])
  clock.now.mockImplementation(() => Date.now())
  await round()
  expect(await kept()).toEqual(['req_1', 'req_88'])
  await recordRequest(store, 'req_old', { createdAt: Date.now() - 91 * DAY_MS })
  await round()
  expect(await kept()).toEqual(['req_1', 'req_88'])
})

test('the log bounds its own size: the oldest rows go, and what was spent stays counted', async () => {
  const { store, round, change, kept } = await started()
  await store.write('insertKey', sampleKey('key_a'))
  const bodies = { request: 'x'.repeat(1_000_000), response: null }
  const now = Date.now()
  for (let nth = 0; nth < 20; nth++)
    await recordRequest(store, `req_${nth}`, { createdAt: now }, { bodies, costNano: nanoUsd(10) })
  await round()
  expect(await kept()).toHaveLength(20)
  await change({ maxLogMb: 16 })
  await round()
  const left = await kept()
  expect(left.length).toBeLessThan(20)
  expect(left[0]).toBe('req_19')
  expect((await store.read('loadState')).accountSpendNano).toBe(200)
  expect(await store.read('checkTotals')).toEqual([])
})

test('the space of what was pruned is given back to the file system', async () => {
  const { dataDir, store, round, change } = await started()
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
