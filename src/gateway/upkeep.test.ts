import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from './clock.ts'
import { silentLog } from './log.ts'
import { Settings } from './settings.ts'
import { openStore } from './store/store.ts'
import { recordRequest, sampleKey } from './store/testing/samples.ts'
import { startUpkeep } from './upkeep.ts'

const DAY_MS = 86_400_000

async function started() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-upkeep-'))
  const store = await openStore({ dataDir })
  onTestFinished(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const clock = { ...systemClock, now: vi.fn(() => Date.now()) }
  const rooms = { store, clock, settings: new Settings(store, {}), log: silentLog }
  /** One round, from its start to its end. */
  const round = async () => {
    const backUp = vi.spyOn(store, 'backups')
    const upkeep = startUpkeep(rooms, 0)
    await vi.waitFor(() => expect(backUp).toHaveBeenCalled())
    backUp.mockRestore()
    await upkeep.stop()
  }
  return { store, clock, round }
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
