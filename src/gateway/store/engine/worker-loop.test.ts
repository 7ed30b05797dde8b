import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { combined, writes } from '../calls.ts'
import { openStore, type StoreError } from '../store.ts'
import { NOON, sampleKey, sampleRequest, sampleSettlement, temporary } from '../testing/samples.ts'
import { connectWriter } from './connection.ts'
import { databasePath } from './files.ts'
import { type Call, runBatch } from './worker-loop.ts'

const { tempDir, tempStore } = temporary(onTestFinished)

test('writes that come together share one message and one commit', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => posted.mockRestore())
  const writing = Array.from({ length: 1000 }, (_, i) =>
    store.write('openRequest', sampleRequest(`req_${i}`)),
  )
  await Promise.all(writing)
  expect(posted).toHaveBeenCalledTimes(2)
})

test('writes that come while the thread works share the next message', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => posted.mockRestore())
  const writing = [store.write('openRequest', sampleRequest('req_0'))]
  await vi.waitFor(() => expect(posted).toHaveBeenCalledOnce())
  for (let i = 1; i < 20; i++) {
    writing.push(store.write('openRequest', sampleRequest(`req_${i}`)))
    if (i % 5 === 0) await new Promise((resolve) => queueMicrotask(() => resolve(undefined)))
  }
  await Promise.all(writing)
  expect(posted).toHaveBeenCalledTimes(2)
})

test('a write that may wait is sent with the next one, or by itself, and when the store closes', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  const posted = vi.spyOn(Worker.prototype, 'postMessage')
  onTestFinished(() => posted.mockRestore())
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = store.writeSoon('openRequest', sampleRequest('req_1'))
  await new Promise((resolve) => setImmediate(resolve))
  await Promise.all([first, store.write('settleRequest', sampleSettlement('req_1'))])
  expect(posted).toHaveBeenCalledTimes(1)
  const second = store.writeSoon('openRequest', sampleRequest('req_2'))
  vi.advanceTimersByTime(2)
  await second
  const last = store.writeSoon('openRequest', sampleRequest('req_3'))
  await store.close()
  await last
})

test('a failing write does not affect others in its batch', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
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
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.close()
  const db = connectWriter(databasePath(dataDir))
  onTestFinished(() => {
    db.close()
  })
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 8}`)

  const call = (id: number, client: string): Call => ['openRequest', sampleRequest(`req_${id}`, { client })]
  const results = runBatch(db, { single: writes, combined }, [
    call(1, 'a'),
    call(2, 'x'.repeat(1_000_000)),
    call(3, 'b'),
  ])
  expect(results).toMatchObject([{ at: 1, error: { code: 'full' } }])
  expect(db.prepare('SELECT id FROM running ORDER BY seq').pluck().all()).toEqual(['req_1', 'req_3'])
})

test('a read sees every write confirmed before it', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
  for (let i = 0; i < 50; i++) {
    await store.write('openRequest', sampleRequest(`req_${i}`, { createdAt: NOON + i }))
    expect((await store.read('listRequests', { limit: 1 })).rows[0]?.id).toBe(`req_${i}`)
  }
})

test('closing completes earlier calls, and rejects later ones', async () => {
  const store = await tempStore()
  await store.write('insertKey', sampleKey('key_a'))
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
  const store = await tempStore({ onFatal: (error) => fatal.push(error) })
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
