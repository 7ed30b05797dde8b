import { expect, onTestFinished, test } from 'vitest'
import { connectWriter } from '../engine/connection.ts'
import { databasePath } from '../engine/files.ts'
import { openTestStore, sampleKey, sampleRequest, sampleSettlement, temporary } from '../testing/samples.ts'

const { newDataDir, tempStore } = temporary(onTestFinished)

test.each([true, false])(
  'a request is charged once, whether it is settled in the batch in which it is opened: %s',
  async (together) => {
    const store = await tempStore()
    await store.write('insertKey', sampleKey('key_a'))
    const opened = store.write('openRequest', sampleRequest('req_1'))
    if (!together) await opened
    await Promise.all([opened, store.write('settleRequest', sampleSettlement('req_1'))])
    await store.write('settleRequest', sampleSettlement('req_1'))
    expect((await store.read('loadState')).accountSpendNano).toBe(250)
    expect(await store.read('usage', { groupBy: 'key', timeZone: 'UTC' })).toMatchObject([
      { requests: 1, tokensIn: 10, tokensOut: 5, costNano: 250 },
    ])
    expect(await store.read('checkTotals')).toEqual([])
  },
)

test('settled requests that an earlier version left among those that run are charged at the start', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await store.write('openRequest', sampleRequest('req_1'))
  await store.close()
  const db = connectWriter(databasePath(dataDir))
  db.exec('UPDATE running SET status = 1, cost_status = 1, cost_nano = 250, settled_after = 13')
  db.close()
  const next = await tempStore({ dataDir })
  expect((await next.read('loadState')).accountSpendNano).toBe(250)
  expect(await next.read('getRequest', 'req_1')).toMatchObject({ status: 'succeeded', costNano: 250 })
  expect(await next.read('checkTotals')).toEqual([])
})
