import { expect, test } from 'vitest'
import { startTestGateway } from '../../../gateway/testing/gateway.ts'
import { forFile } from '../../../gateway/testing/lifetime.ts'
import { billing, startTestUpstream } from '../../../gateway/upstream/testing/test-upstream.ts'

/** The cost in USD of a request with 1,000 tokens, of which 800 are cached, and 100 of its answer. */
const SERVED_USD = (200 * 10 + 800 * 1 + 100 * 20) / 1e6
const CHEAP_USD = (1_000 * 1 + 100 * 2) / 1e6
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const TOOL = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

let agent: { id: string; secret: string }

const tollgate = await forFile(startTestGateway())
const cached = { prompt_tokens_details: { cached_tokens: 800 } }
const upstream = await forFile(startTestUpstream(billing(1_000, 100, cached)))
await tollgate.addProvider('mine', `${upstream.url}/v1`, ['cheap'])
const put = (id: string, body: object) =>
  tollgate.call('PUT', `/v1/models/${id}`, { body: { provider: 'mine', ...body } })
const pricing = { inputPerMillion: 10, outputPerMillion: 20, cacheReadPerMillion: 1 }
await put('served', { pricing, capabilities: ['vision', 'tools', 'json', 'streaming'] })
await put('cheap', { pricing: { inputPerMillion: 1, outputPerMillion: 2 }, capabilities: ['json'] })
await put('unpriced', { pricing: null })
agent = await tollgate.createKey({ name: 'Agent', scope: 'full' })
const asAgent = { as: agent.secret, headers: { 'x-title': 'My agent', 'x-tollgate-tag': 'shop' } }
await tollgate.chat({ model: 'served' })
await tollgate.chat({ model: 'served', response_format: { type: 'json_object' } }, asAgent)
await tollgate.chat({ model: 'served', tools: [TOOL] }, asAgent)
await tollgate.chat({ model: 'served', messages: [{ role: 'user', content: [IMAGE] }] }, asAgent)
await tollgate.chat({ model: 'unpriced' })
await tollgate.call('POST', '/v1/embeddings', { body: { model: 'served', input: 'x' } })

const reprice = async (query = '') => {
  const { json } = await tollgate.call('GET', `/v1/usage/reprice?from=2020-01-01${query}`)
  return {
    ...json,
    of: (model: string) => json.data.find((row: { model: string }) => row.model === model),
  }
}

test('the recorded requests are priced on every model, with what each could not have served', async () => {
  const all = await reprice()
  expect(all).toMatchObject({ requests: 4, unchecked: 0, unpriced: 1, others: { requests: 1 } })
  expect(all.chargedUsd).toBeCloseTo(4 * SERVED_USD, 9)
  expect(all.of('served')).toMatchObject({ served: 4, costUsd: all.chargedUsd, uncachedUsd: all.chargedUsd })
  expect(all.of('cheap')).toMatchObject({ requests: 4, served: 2, cachePriced: false })
  expect(all.of('cheap').costUsd).toBeCloseTo(2 * CHEAP_USD, 9)
  expect(all.of('cheap').chargedUsd).toBeCloseTo(2 * SERVED_USD, 9)
  expect(all.of('cheap').obstacles).toEqual(
    expect.arrayContaining([
      { reason: 'tools', requests: 1 },
      { reason: 'vision', requests: 1 },
    ]),
  )
  expect(all.data.map(({ model }: { model: string }) => model)).toEqual(['cheap', 'served'])
})

test('one model has its costs by key and client; filters select requests', async () => {
  const { data } = await reprice('&candidate=cheap')
  expect(data).toHaveLength(1)
  expect(data[0].byKey).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ group: agent.id, label: 'Agent', requests: 3, served: 1 }),
    ]),
  )
  expect(data[0].byClient).toEqual(
    expect.arrayContaining([expect.objectContaining({ group: 'My agent', served: 1 })]),
  )
  const ofKey = await reprice(`&key=${agent.id}&client=My%20agent&model=served&tag=shop`)
  expect(ofKey.requests).toBe(3)
  expect((await reprice('&model=cheap')).requests).toBe(0)
  expect((await tollgate.call('GET', '/v1/usage/reprice?to=2020-01-01')).json.requests).toBe(0)
})

test('a candidate without a known price is 404', async () => {
  for (const model of ['unpriced', 'nothing']) {
    const answer = await tollgate.call('GET', `/v1/usage/reprice?candidate=${model}`)
    expect(answer.status).toBe(404)
    expect(answer.json.error.param).toBe('candidate')
  }
})
