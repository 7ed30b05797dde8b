import { expect } from 'vitest'
import { says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Models')
const limits = { name: 'sandbox', scope: 'full', allowedModels: ['sandbox-*'] }
const { secret: sandboxKey } = await tollgate.createKey(limits)
const sandboxOnly = (await tollgate.call('GET', '/v1/models', { as: sandboxKey })).json
const put = (id: string, body: object) => tollgate.call('PUT', `/v1/models/${id}`, { body })
const get = (id: string) => tollgate.call('GET', `/v1/models/${id}`)

test('GET /v1/models has OpenAI’s list shape; a model also has pricing, capabilities and more', () => {
  const [large, small] = sandboxOnly.data
  expect([large.id, small.id]).toEqual(['sandbox-large', 'sandbox-small'])
  expect(large.pricing.inputPerMillion).toBe(3)
  expect([large.capabilities.includes('vision'), small.capabilities.includes('vision')]).toEqual([
    true,
    false,
  ])
  expect(sandboxOnly.object).toBe('list')
  for (const record of sandboxOnly.data) {
    expect(record).toMatchObject({
      object: 'model',
      created: expect.any(Number),
      owned_by: 'sandbox',
      name: expect.any(String),
      provider: 'sandbox',
      providers: ['sandbox'],
      contextWindow: expect.any(Number),
      maxOutputTokens: expect.any(Number),
      pricing: { inputPerMillion: expect.any(Number), outputPerMillion: expect.any(Number) },
      fallbacks: [],
    })
    for (const capability of record.capabilities) {
      expect(['vision', 'tools', 'json', 'reasoning', 'streaming', 'embeddings']).toContain(capability)
    }
  }
})

test('GET /v1/models/{id} is one record; an unknown one is 404', async () => {
  expect((await get('sandbox-small')).json).toMatchObject({ id: 'sandbox-small', object: 'model' })
  for (const id of ['sandbox/sandbox-small', 'sandbox%2Fsandbox-small'])
    expect((await get(id)).status).toBe(200)
  const { status, json } = await get('no-such-model')
  expect([status, json.error.type]).toEqual([404, 'not_found_error'])
})

test('provider/id selects the provider', async () => {
  const { status, headers } = await tollgate.chat({ model: 'sandbox/sandbox-small' })
  expect([status, headers.get('x-service-model')]).toEqual([200, 'sandbox-small'])
  expect((await tollgate.chat({ model: 'acme/sandbox-small' })).status).not.toBe(200)
})

test('PUT adds or overrides a model; DELETE removes the override', async () => {
  await upstream.model('added', says('hi'), {
    capabilities: ['vision'],
    contextWindow: 1000,
    maxOutputTokens: 10,
  })
  const { json } = await get('added')
  expect(json).toMatchObject({
    provider: 'acme',
    overridden: true,
    capabilities: ['vision'],
    contextWindow: 1000,
    maxOutputTokens: 10,
  })
  expect((await tollgate.call('DELETE', '/v1/models/added')).status).toBe(200)
  const price = { inputPerMillion: 100, outputPerMillion: 200 }
  expect((await put('sandbox-small', { pricing: price })).json).toMatchObject({
    pricing: price,
    overridden: true,
  })
  const served = await tollgate.chat({})
  expect(served.json.usage.cost).toBeCloseTo(
    (served.json.usage.prompt_tokens * 100 + served.json.usage.completion_tokens * 200) / 1e6,
    9,
  )
  await tollgate.call('DELETE', '/v1/models/sandbox-small')
  expect((await get('sandbox-small')).json.pricing.inputPerMillion).toBe(0.5)
  expect((await tollgate.call('DELETE', '/v1/models/sandbox-small')).status).toBe(404)
})

test('upstreamModel is sent to the provider; the client sees its own model name', async () => {
  await upstream.model('real-name', says('hi'))
  await put('alias', {
    provider: 'acme',
    upstreamModel: 'real-name',
    pricing: { inputPerMillion: 1, outputPerMillion: 1 },
  })
  const { json } = await tollgate.chat({ model: 'alias' })
  expect(json.model).toBe('alias')
  expect(upstream.calls('real-name')).toHaveLength(1)
})

test('PUT rejects unknown fields, an unknown provider, a fallback to itself and invalid prices', async () => {
  for (const [body, param] of [
    [{ provider: 'acme', price: 1 }, 'price'],
    [{ provider: 'unknown' }, 'provider'],
    [{ provider: 'acme', fallbacks: ['strict'] }, 'fallbacks'],
    [{ provider: 'acme', pricing: { inputPerMillion: -1, outputPerMillion: 1 } }, 'pricing.inputPerMillion'],
    [
      { provider: 'acme', pricing: { inputPerMillion: 1e300, outputPerMillion: 1 } },
      'pricing.inputPerMillion',
    ],
    [{ provider: 'acme', capabilities: ['flying'] }, 'capabilities[0]'],
    [{}, 'provider'],
  ] as const) {
    const { status, json } = await put('strict', body)
    expect([body, status, json.error?.param]).toEqual([body, 400, param])
  }
})
