// Batches of Anthropic's API, with its own SDK. A request with 10 and 5 tokens costs 10 × $1 and 5 × $2 for a million tokens, by half.
import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { impatient } from '../../../gateway/testing/short-waits.ts'
import { type Json, messageResult, startBatchVendor } from './testing/batch-vendor.ts'

const LINE_USD = 0.00001
const vendor = await forFile(startBatchVendor())
const tollgate = await forFile(startTestGateway({ clock: impatient }))
await tollgate.addProvider('vendor', `${vendor.url}/v1`, [], { apiFormat: 'anthropic-messages' })
const pricing = { inputPerMillion: 1, outputPerMillion: 2, tierFactors: { batch: 0.5 } }
const model = { provider: 'vendor', pricing, maxOutputTokens: 1_000 }
await tollgate.call('PUT', '/v1/models/claude', { body: model })

const requests = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, at) => ({
    custom_id: `request-${at + 1}`,
    params: {
      ...{
        model: 'claude',
        max_tokens: 100,
        messages: [{ role: 'user' as const, content: 'Say "Hi" [now]' }],
      },
      ...more,
    },
  }))

async function connect(options: object = {}) {
  const key = await tollgate.createKey({ name: 'batcher', scope: 'full', spendLimitUsd: 1, ...options })
  const sdk = new Anthropic({ apiKey: key.secret, baseURL: tollgate.baseUrl, maxRetries: 0 })
  return { key, batches: sdk.messages.batches }
}

const findJob = async (id: string): Promise<Json> =>
  (await tollgate.call('GET', '/v1/batch-jobs?limit=200')).json.data.find((job: Json) => job.id === id)

test('the SDK creates a batch, reads its results, and the key pays half the price for each', async () => {
  const { key, batches } = await connect()
  const created = await batches.create({ requests: requests(4, { model: 'vendor/claude' }) })
  expect(created).toMatchObject({
    type: 'message_batch',
    processing_status: 'in_progress',
    results_url: null,
  })
  expect(created.id).toMatch(/^msgbatch_[0-9a-f]{24}$/)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBeGreaterThan(4 * 0.0001)
  const [vendorId = '', sent] = [...vendor.batches].at(-1) ?? []
  // The model has the provider's name.
  expect(sent?.lines).toEqual(requests(4))
  vendor.endMessages(vendorId, ([one, two, three, four]) => [
    messageResult(two),
    { custom_id: three.custom_id, result: { type: 'expired' } },
    messageResult(one),
    {
      custom_id: four.custom_id,
      result: { type: 'errored', error: { type: 'error', error: { type: 'api_error' } } },
    },
  ])
  await expect.poll(async () => (await findJob(created.id)).settled, { interval: 20 }).toBe(true)
  expect(await findJob(created.id)).toMatchObject({ succeeded: 2, failed: 2, costUsd: 2 * LINE_USD })
  expect(await tollgate.getKey(key.id)).toMatchObject({ reservedUsd: 0, spendUsd: 2 * LINE_USD })
  expect(await batches.retrieve(created.id)).toMatchObject({ id: created.id, processing_status: 'ended' })
  const results: string[] = []
  for await (const { custom_id: id, result } of await batches.results(created.id))
    results.push(`${id} ${result.type}`)
  expect(results.sort()).toEqual([
    'request-1 succeeded',
    'request-2 succeeded',
    'request-3 expired',
    'request-4 errored',
  ])
  expect((await batches.list()).data.map(({ id }) => id)).toEqual([created.id])
  expect(await batches.delete(created.id)).toEqual({ id: created.id, type: 'message_batch_deleted' })
})

test('a batch that does not fit is not created: its end is never sent', async () => {
  const { key, batches } = await connect({ spendLimitUsd: 0.0004 })
  const before = vendor.batches.size
  await expect(batches.create({ requests: requests(10) })).rejects.toMatchObject({
    status: 402,
    error: { type: 'error', error: { message: expect.stringMatching(/the first [1-9] would fit/) } },
  })
  expect(vendor.batches.size).toBe(before)
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
})

test('requests that are wrong are named, and another key gets 404', async () => {
  const { batches } = await connect()
  const [one, two] = requests(2)
  if (!one || !two) expect.fail('no requests')
  const wrong = [one, { ...two, params: { ...two.params, model: 'none' } }]
  await expect(batches.create({ requests: wrong })).rejects.toThrow(/Line 2: .*none/)
  await expect(batches.create({ requests: [] })).rejects.toThrow(/requests.* is empty/)
  const created = await batches.create({ requests: [one] })
  const other = await connect()
  await expect(other.batches.retrieve(created.id)).rejects.toMatchObject({
    status: 404,
    error: { type: 'error', error: { type: 'not_found_error' } },
  })
  expect(await batches.cancel(created.id)).toMatchObject({ id: created.id, processing_status: 'canceling' })
  await expect(batches.delete(created.id)).rejects.toThrow(/not settled/)
})
