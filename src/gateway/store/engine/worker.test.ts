import type { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { writes } from '../calls.ts'
import type { Call } from '../part.ts'
import { openStore, type StoreError } from '../store.ts'
import { NOON, openTestStore, sampleKey, sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { newDataDir, storeWithKeys } from '../testing/temp-store.ts'
import { connectWriter } from './connection.ts'
import { databasePath } from './files.ts'
import { CallQueue } from './thread.ts'
import { runBatch } from './worker.ts'

/** A queue, the calls of each message that it has sent, and what waits for its timers. */
function createQueue() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] })
  onTestFinished(() => void vi.useRealTimers())
  const messages: (readonly Call[])[] = []
  const queue = new CallQueue(500, (calls) => messages.push(calls))
  const add = (count: number, mayWait = false) => {
    for (let i = 0; i < count; i++)
      queue.add(['touchKeys', []], { resolve: () => {}, reject: () => {} }, mayWait)
  }
  const endTurn = () => void vi.advanceTimersByTime(0)
  return { queue, add, endTurn, getSizes: () => messages.map((calls) => calls.length) }
}

test('calls that come together share one message, up to 500', () => {
  const { queue, add, endTurn, getSizes } = createQueue()
  add(1000)
  expect(getSizes()).toEqual([])
  endTurn()
  expect(getSizes()).toEqual([500])
  queue.answer([])
  endTurn()
  expect(getSizes()).toEqual([500, 500])
})

test('calls that come while the thread works share the next message', () => {
  const { queue, add, endTurn, getSizes } = createQueue()
  add(1)
  endTurn()
  for (let i = 0; i < 4; i++) {
    add(5)
    endTurn()
  }
  expect(getSizes()).toEqual([1])
  queue.answer([])
  endTurn()
  expect(getSizes()).toEqual([1, 20])
})

test('a call that may wait is sent with the next one, or by itself, and when the store closes', async () => {
  const { queue, add, endTurn, getSizes } = createQueue()
  add(1, true)
  endTurn()
  add(1)
  endTurn()
  expect(getSizes()).toEqual([2])
  queue.answer([])
  add(1, true)
  vi.runAllTimers()
  expect(getSizes()).toEqual([2, 1])
  queue.answer([])
  add(1, true)
  const idle = queue.idle()
  endTurn()
  expect(getSizes()).toEqual([2, 1, 1])
  queue.answer([])
  await idle
})

test('a failing write does not affect others in its batch', async () => {
  const store = await storeWithKeys('key_a')
  const results = await Promise.allSettled([
    store.write('openRequest', sampleRequest('req_1')),
    store.write('openRequest', sampleRequest('req_1')),
    store.write('openRequest', sampleRequest('req_2', { keyId: 'missing' })),
    store.write('openRequest', sampleRequest('req_3')),
    store.write('settleRequest', sampleSettlement('req_3')),
  ])
  expect(results.map((result) => result.status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
    'fulfilled',
  ])
  expect(results[1]).toMatchObject({ reason: { name: 'StoreError', code: 'conflict' } })
  expect(results[2]).toMatchObject({ reason: { name: 'StoreError', code: 'failed' } })
  expect(await store.read('getRequest', 'req_3')).toMatchObject({ status: 'succeeded' })
})

test('a write that exceeds the disk space is rejected as full, and others in its batch are stored', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.close()
  const db = connectWriter(databasePath(dataDir))
  onTestFinished(() => {
    db.close()
  })
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 8}`)

  const call = (id: number, client: string): Call => ['openRequest', sampleRequest(`req_${id}`, { client })]
  const results = runBatch(db, writes, [call(1, 'a'), call(2, 'x'.repeat(1_000_000)), call(3, 'b')])
  expect(results).toMatchObject([undefined, { error: { code: 'full' } }, undefined])
  expect(db.prepare('SELECT id FROM requests ORDER BY seq').pluck().all()).toEqual(['req_1', 'req_3'])
})

test('while another program locks the database, writes are rejected as locked, and made when it no longer does', () => {
  const path = databasePath(newDataDir())
  const db = connectWriter(path)
  // Without the wait for the other program.
  db.pragma('busy_timeout = 0')
  const other = new Sqlite(path)
  onTestFinished(() => {
    other.close()
    db.close()
  })
  const insert = () => runBatch(db, writes, [['insertKey', sampleKey('key_a')]])
  other.exec('BEGIN IMMEDIATE')
  expect(insert()).toMatchObject([{ error: { code: 'locked' } }])
  other.exec('ROLLBACK')
  expect(insert()).toMatchObject([{ value: { id: 'key_a' } }])
  expect(db.prepare('SELECT id FROM keys').pluck().all()).toEqual(['key_a'])
})

test('a read sees every write confirmed before it', async () => {
  const store = await storeWithKeys('key_a')
  for (let i = 0; i < 50; i++) {
    await store.write('openRequest', sampleRequest(`req_${i}`, { createdAt: NOON + i }))
    expect((await store.read('listRequests', { limit: 1 })).rows[0]?.id).toBe(`req_${i}`)
  }
})

test('closing completes earlier calls, and rejects later ones', async () => {
  const store = await storeWithKeys('key_a')
  const pending = Array.from({ length: 50 }, (_, i) => store.write('openRequest', sampleRequest(`req_${i}`)))
  await Promise.all([store.close(), store.close()])
  expect(await Promise.all(pending)).toHaveLength(50)
  await expect(store.read('loadState')).rejects.toMatchObject({ code: 'closed' })
  await expect(store.write('touchKeys', [])).rejects.toMatchObject({ code: 'closed' })
})

test('when a thread dies, its pending calls are settled and the failure is reported once', async () => {
  const workers: Worker[] = []
  const collect = (worker: Worker) => workers.push(worker)
  process.on('worker', collect)
  const fatal: StoreError[] = []
  const store = await openStore({ dataDir: newDataDir(), onFatal: (error) => fatal.push(error) })
  onTestFinished(() => store.close())
  process.off('worker', collect)
  await store.write('insertKey', sampleKey('key_a'))

  const pending = store.write('touchKeys', [])
  const [writer] = workers
  const [outcome] = await Promise.all([Promise.allSettled([pending]), writer?.terminate()])
  const second = store.write('touchKeys', [])
  await expect(second).rejects.toMatchObject({ code: 'thread_ended' })
  expect(outcome).toHaveLength(1)
  expect(fatal).toMatchObject([{ code: 'thread_ended' }])
  expect(await store.read('listRequests', { limit: 1 })).toMatchObject({ rows: [] })
})
