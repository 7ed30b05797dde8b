import { expect, test } from 'vitest'
import { sampleRequest, sampleSettlement } from '../testing/samples.ts'
import { storeWithKeys } from '../testing/temp-store.ts'

test.each([true, false])(
  'a request is charged once, whether it is settled in the batch in which it is opened: %s',
  async (together) => {
    const store = await storeWithKeys('key_a')
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
