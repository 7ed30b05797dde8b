import { expect, onTestFinished, test, vi } from 'vitest'
import { nanoUsd } from '../../../shared/money/money.ts'
import { silentLog } from '../../platform/log.ts'
import { combined, complete, reads, writes } from '../calls.ts'
import { connectWriter } from '../engine/connection.ts'
import { databasePath } from '../engine/files.ts'
import { type Call, Writer } from '../engine/worker-loop.ts'
import {
  NOON,
  openTestStore,
  sampleKey,
  sampleRequest,
  sampleSettlement,
  temporary,
} from '../testing/samples.ts'

const { newDataDir, tempStore } = temporary(onTestFinished)

const ID = `req_${'0f'.repeat(16)}`

async function openWriter() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.close()
  const db = connectWriter(databasePath(dataDir))
  onTestFinished(() => void db.close())
  const writer = new Writer(db, { single: { ...reads, ...writes }, combined, complete }, silentLog)
  const read = (sql: string) => db.prepare(sql).raw().all()
  return { dataDir, db, writer, read }
}

const LEFT = 'SELECT status, cost_nano FROM running'
const MOVED = 'SELECT status, cost_nano FROM requests'
const SPENT = 'SELECT spend_nano FROM account'
const SUMMED = 'SELECT requests, tokens_in, tokens_out, cost_nano FROM day_sums'

const open = (id = ID, patch = {}): Call => ['openRequest', sampleRequest(id, patch)]
const settle = (id = ID, patch = {}): Call => ['settleRequest', sampleSettlement(id, patch)]

test.each([
  ['in one batch', [[open(), settle()]]],
  ['in two batches', [[open()], [settle()], [settle()]]],
])('a request that is opened and settled %s is complete after a while', async (_, batches) => {
  const { writer, read } = await openWriter()
  for (const calls of batches) expect(writer.run(calls)).toEqual([])
  expect([read(LEFT), read(MOVED), read(SPENT)]).toEqual([[[1, 250]], [], [[0]]])
  vi.advanceTimersByTime(100)
  expect([read(LEFT), read(MOVED), read(SPENT)]).toEqual([[], [[1, 250]], [[250]]])
  expect(read(SUMMED)).toEqual([[1, 10, 5, 250]])
})

test('every other operation finds the requests before it complete', async () => {
  const { writer, read } = await openWriter()
  writer.run([open(), settle()])
  expect(writer.run([['loadState']])).toMatchObject([{ value: { accountSpendNano: 250 } }])
  expect(read(LEFT)).toEqual([])
})

test('a read that comes with the settlement of another request finds those before it', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  await store.write('openRequest', sampleRequest('req_1'))
  await store.write('openRequest', sampleRequest('req_2'))
  await store.write('settleRequest', sampleSettlement('req_1'))
  const settling = store.write('settleRequest', sampleSettlement('req_2'))
  const usage = () => store.read('usage', { groupBy: 'key', timeZone: 'UTC' })
  const [first] = await usage()
  expect(first?.requests).toBeGreaterThanOrEqual(1)
  await settling
  expect(await usage()).toMatchObject([{ requests: 2 }])
})

test('what a crash has left is completed at the next start, before requests that ran are settled', async () => {
  const { dataDir, db, writer } = await openWriter()
  writer.run([open(), settle(), open('req_running')])
  db.close()
  vi.useRealTimers()
  const store = await tempStore({ dataDir })
  const abandoned = await store.write('settleAbandoned', { now: NOON + 1_000 })
  expect(abandoned.map(({ id }) => id)).toEqual(['req_running'])
  expect((await store.read('loadState')).accountSpendNano).toBe(250 + 300)
  expect(await store.read('getRequest', ID)).toMatchObject({ status: 'succeeded', costNano: 250 })
  expect(await store.read('checkTotals')).toEqual([])
})

test('requests whose charge might be too large for the sums are charged immediately', async () => {
  const { writer, read } = await openWriter()
  writer.run([open(), settle(ID, { costNano: nanoUsd(Number.MAX_SAFE_INTEGER) })])
  expect(read(LEFT)).toEqual([])
  expect(writer.run([open('req_2'), settle('req_2')])).toMatchObject([{ at: 1, error: { code: 'failed' } }])
  expect(read(LEFT)).toEqual([[0, null]])
})

test('no request is settled while those before it cannot be completed', async () => {
  const { db, writer, read } = await openWriter()
  writer.run([open(), settle()])
  db.exec('ALTER TABLE rollups RENAME TO broken')
  vi.advanceTimersByTime(100)
  expect(writer.run([open('req_2'), settle('req_2')])).toMatchObject([
    { at: 0, error: { code: 'failed' } },
    { at: 1, error: { code: 'failed' } },
  ])
  expect(read(LEFT)).toEqual([[1, 250]])
  db.exec('ALTER TABLE broken RENAME TO rollups')
  expect(writer.run([open('req_2'), settle('req_2')])).toEqual([])
  vi.advanceTimersByTime(100)
  expect(read(SPENT)).toEqual([[500]])
})

test('a settled id is refused for another request', async () => {
  const { writer, read } = await openWriter()
  writer.run([open(), settle()])
  expect(writer.run([open(), settle()])).toMatchObject([{ at: 0, error: { code: 'conflict' } }])
  writer.run([['awaitSettlements']])
  expect(writer.run([open(), settle()])).toMatchObject([{ at: 1, error: { code: 'conflict' } }])
  expect(read(SPENT)).toEqual([[250]])
})
