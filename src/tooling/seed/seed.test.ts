import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createGateway } from '../../gateway/compose/gateway.ts'
import type { Gateway } from '../../gateway/compose/gateway-api.ts'
import { createLog } from '../../gateway/platform/log.ts'
import { connectReader } from '../../gateway/store/engine/connection.ts'
import { databasePath } from '../../gateway/store/engine/files.ts'
import { listRequests } from '../../gateway/store/listings/request-log.ts'
import { openTestStore } from '../../gateway/store/testing/samples.ts'
import { createMemoryCredentials } from '../../gateway/testing/gateway.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { KeyList } from '../../shared/api/keys.ts'
import { RequestList } from '../../shared/api/request-queries.ts'
import { Usage } from '../../shared/api/usage.ts'
import { seed } from './seed.ts'

const NOW = Date.now()
const DAY_MS = 24 * 60 * 60_000

function createSeededDir(options: Partial<Parameters<typeof seed>[1]> = {}): string {
  const dataDir = tempDirForTest()
  seed(dataDir, { requests: 800, days: 45, now: NOW, ...options })
  return dataDir
}

test('in a seeded data dir, rows, totals and rollups agree', async () => {
  const dataDir = createSeededDir({ timeZone: 'Europe/Berlin' })
  expect(statSync(join(dataDir, 'tollgate.db')).mode & 0o777).toBe(0o600)
  const logged: string[] = []
  // A start that has nothing to repair or to convert also logs nothing of level `info`.
  const log = createLog({ write: (level, message) => level !== 'debug' && logged.push(message) })
  const store = await openTestStore({ dataDir, log })
  expect(await store.read('checkTotals')).toEqual([])
  expect(await store.write('setRollupTimeZone', 'Europe/Berlin')).toBe(false)
  const days = () => store.read('usage', { groupBy: 'day', splitBy: 'client', timeZone: 'Europe/Berlin' })
  const before = await days()
  await store.write('setRollupTimeZone', 'UTC')
  expect(await days()).toEqual(before)
  await store.close()

  const options = { dataDir, log, version: '0' }
  const gateway = await createGateway(
    { ...options, credentials: createMemoryCredentials(), interfaceDir: null, createAdminKey: false },
    openTestStore(options),
  )
  onTestFinished(() => gateway.close())
  const get = async (path: string): Promise<unknown> =>
    (await gateway.fetchAsOwner(new Request(`app://tollgate${path}`))).json()
  const keys = KeyList.parse(await get('/v1/keys')).data
  const usage = Usage.parse(await get('/v1/usage?groupBy=key&splitBy=model'))
  const byDay = Usage.parse(await get('/v1/usage?groupBy=day&splitBy=key')).data
  expect(byDay.map(({ splitLabel }) => splitLabel)).toContain('Coding agents')
  const { records, refused } = await everyRecord(gateway)
  expect(records).toHaveLength(800)
  expect(usage.total.requests).toBe(800 - refused)
  expect(usage.total.costUsd).toBeCloseTo(
    keys.reduce((sum, key) => sum + key.spendUsd, 0),
    6,
  )
  expect(new Set(records.map(({ status }) => status)).size).toBeGreaterThanOrEqual(4)
  expect(records.every(({ createdAt }) => Date.parse(createdAt) <= NOW)).toBe(true)
  expect(Date.parse(records[0]?.createdAt ?? '')).toBeGreaterThan(NOW - DAY_MS)
  for (const { spendUsd, spendLimitUsd } of keys)
    if (spendLimitUsd !== null) expect(spendUsd).toBeLessThan(spendLimitUsd)
  expect(logged).toEqual([])
})

async function everyRecord(gateway: Gateway) {
  const records = []
  let cursor = ''
  do {
    const answer = await gateway.fetchAsOwner(new Request(`app://tollgate/v1/requests?limit=500${cursor}`))
    const page = RequestList.parse(await answer.json())
    records.push(...page.data)
    cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`
  } while (cursor !== '')
  return { records, refused: records.filter(({ status }) => status === 'refused').length }
}

test('the same seed creates the same requests, and another seed others', () => {
  const listIds = (number: number) => {
    const db = connectReader(databasePath(createSeededDir({ requests: 20, number })))
    onTestFinished(() => void db.close())
    return listRequests(db, { limit: 50 }).rows.map(({ id }) => id)
  }
  const ids = listIds(1)
  expect(ids).toHaveLength(20)
  expect(listIds(1)).toEqual(ids)
  expect(listIds(2)).not.toEqual(ids)
})

test('a data dir with a database is not changed', () => {
  const dataDir = createSeededDir({ requests: 1 })
  expect(() => seed(dataDir, { requests: 1, days: 1, now: NOW })).toThrow('already')
})
