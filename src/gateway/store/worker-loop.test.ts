import { once } from 'node:events'
import { MessageChannel, type Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { connectWriter } from './connection.ts'
import { databasePath } from './files.ts'
import { openDatabase } from './open.ts'
import { openStore, type StoreError } from './store.ts'
import { NOON, sampleKey, sampleRequest, sampleSettlement, temporary } from './testing/samples.ts'
import { runBatch, serveWrites } from './worker-loop.ts'
import { writes } from './writes.ts'

const { tempDir, tempStore } = temporary(onTestFinished)

test('many writes share few commits', async () => {
  const { db } = openDatabase(tempDir(), silentLog, NOON)
  writes.insertKey(db, sampleKey('key_a'))
  const { port1, port2 } = new MessageChannel()
  const answered: number[] = []
  const closed = once(port1, 'close')
  port1.on('message', ({ replies }: { replies: unknown[] }) => answered.push(replies.length))
  for (let id = 0; id < 1000; id++) {
    port1.postMessage({ id, op: 'openRequest', args: [sampleRequest(`req_${id}`)] })
  }
  port1.postMessage('close')
  // One message with all its replies follows each commit.
  serveWrites(port2, db, writes)
  await closed
  expect(answered.reduce((sum, replies) => sum + replies, 0)).toBe(1000)
  expect(answered.length).toBeLessThan(10)
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

  const call = (id: number, client: string) => ({
    id,
    op: 'openRequest',
    args: [sampleRequest(`req_${id}`, { client })],
  })
  const replies = runBatch(db, writes, [call(1, 'a'), call(2, 'x'.repeat(1_000_000)), call(3, 'b')])
  expect(replies).toMatchObject([
    { id: 1, value: { status: 'running' } },
    { id: 2, error: { code: 'full' } },
    { id: 3, value: { status: 'running' } },
  ])
  expect(db.prepare('SELECT id FROM requests ORDER BY seq').pluck().all()).toEqual(['req_1', 'req_3'])
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
  await expect(second).rejects.toMatchObject({ code: 'closed' })
  expect(outcome).toHaveLength(1)
  expect(fatal).toMatchObject([{ code: 'closed' }])
  expect(await store.read('loadState')).toMatchObject({ isEmpty: false })
})
