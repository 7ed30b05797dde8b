import { expect, test } from 'vitest'
import { Bill, PRICING, streams } from './testing/billing-vendor.ts'
import { startForFile } from './testing/upstream.ts'

const { tollgate, upstream } = await startForFile({ rateLimits: false })

test('After a crash in a long stream, its invoice settles it, and until then it counts', async () => {
  const bill = new Bill()
  const pace = { tokensPerEvent: 1_000, everyMs: 50, forMs: 60_000 }
  await upstream.model('long', streams(bill, pace), { pricing: PRICING, maxOutputTokens: 1_000_000 })
  const key = await tollgate.createKey({ name: 'crashes', scope: 'full', spendLimitUsd: 10 })
  const client = tollgate.openStream({ model: 'long' }, { as: key.secret })
  const read = client.then((response) => response.text()).catch(() => null)
  await expect.poll(() => bill.usd, { interval: 20 }).toBeGreaterThan(0.8)
  await tollgate.kill()
  await read
  await tollgate.start()
  const find = async () => (await tollgate.call('GET', `/v1/requests?key=${key.id}`)).json.data[0]
  const { id, costStatus } = await find()
  expect(costStatus).toBe('unsettled')
  const { spendUsd, reservedUsd } = await tollgate.getKey(key.id)
  expect(spendUsd + reservedUsd).toBeGreaterThanOrEqual(bill.usd)
  const settled = await tollgate.call('POST', `/v1/requests/${id}/settle`, { body: { costUsd: bill.usd } })
  expect(settled.status).toBe(200)
  expect((await tollgate.getKey(key.id)).spendUsd).toBeCloseTo(bill.usd, 9)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})
