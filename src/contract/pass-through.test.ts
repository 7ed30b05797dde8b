import { expect } from 'vitest'
import { openaiFor } from './testing/openai-client.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Embeddings, images and audio')

const sdk = openaiFor(tollgate)

test('Embeddings cost what their tokens do, in the headers and in the record', async () => {
  const usage = { prompt_tokens: 3, total_tokens: 3 }
  await upstream.model(
    'cheap-embed',
    (exchange) => exchange.reply(200, { object: 'list', data: [], usage }),
    {
      pricing: { inputPerMillion: 0.1, outputPerMillion: 0 },
    },
  )
  const answer = await tollgate.call('POST', '/v1/embeddings', {
    body: { model: 'cheap-embed', input: [[7, 8, 9]] },
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-service-cost-usd')).toBe('0.000000')
  expect(answer.headers.get('x-service-tokens-in')).toBe('3')
  expect(answer.headers.get('x-service-model')).toBe('cheap-embed')
  expect(await tollgate.getRecord(answer.headers.get('x-request-id'))).toMatchObject({
    status: 'succeeded',
    costUsd: 0.0000003,
    costStatus: 'exact',
    tokensIn: 3,
    endpoint: 'POST /v1/embeddings',
  })
})

test('A request goes to the provider unchanged, except for the model, and so does the answer', async () => {
  const reply =
    '{"object":"list", "data":[{"object":"embedding","index":0,"embedding":[0.1000]}],\n"usage":{"prompt_tokens":5,"total_tokens":5}}'
  await upstream.model('embed-v9', (exchange) => exchange.reply(200, reply))
  await upstream.model('acme-embed', () => undefined, { upstreamModel: 'embed-v9' })
  const sent = '{ "input":"h\\u00e9llo", "model":"acme-embed","extra":{"a":1.50},"dimensions":3}'
  const response = await fetch(`${tollgate.baseUrl}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'content-type': 'application/json' },
    body: sent,
  })
  expect(await response.text()).toBe(reply)
  const [request] = upstream.calls('embed-v9')
  expect(request?.body).toBe(sent.replace('acme-embed', 'embed-v9'))
  expect(request?.path).toBe('/embeddings')
  // 5 tokens at 1 USD per million.
  expect(response.headers.get('x-service-cost-usd')).toBe('0.000005')
})

test('A failed provider is retried, and its error is explained like that of a chat', async () => {
  await upstream.model('flaky-embed', (exchange, nth) =>
    nth < 2
      ? exchange.reply(503, { error: { message: 'busy' } })
      : exchange.reply(200, { object: 'list', data: [], usage: { prompt_tokens: 1, total_tokens: 1 } }),
  )
  await sdk().embeddings.create({ model: 'flaky-embed', input: 'a' })
  expect(upstream.calls('flaky-embed')).toHaveLength(2)
  await upstream.model('strict-embed', (exchange) =>
    exchange.reply(400, {
      error: { message: 'too many dimensions', param: 'dimensions', code: 'bad_dimensions' },
    }),
  )
  await expect(sdk().embeddings.create({ model: 'strict-embed', input: 'a' })).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    param: 'dimensions',
  })
})

test('A model of a provider without the endpoint gets 404 with providers that have it', async () => {
  const { status, json } = await tollgate.call('POST', '/v1/images/generations', {
    body: { model: 'sandbox-large', prompt: 'A map' },
  })
  expect([status, json.error.code]).toEqual([404, 'endpoint_not_served'])
  expect(json.error.message).toContain('OpenAI')
})

test('An embedding model cannot chat', async () => {
  await upstream.model('no-chat', () => undefined, { capabilities: ['embeddings'] })
  const chat = await tollgate.chat({ model: 'no-chat' })
  expect([chat.status, chat.json.error.param]).toEqual([400, 'model'])
})

test('An invalid body gets 400 that names the field', async () => {
  for (const [path, body, param] of [
    ['/v1/embeddings', { model: 'x', input: [] }, 'input'],
    ['/v1/embeddings', { model: 'x', input: 'a', encoding_format: 'hex' }, 'encoding_format'],
    ['/v1/embeddings', { model: 'x', input: 'a', api_base: 'http://x' }, 'api_base'],
    ['/v1/rerank', { model: 'x', query: 'a' }, 'documents'],
    ['/v1/images/generations', { model: 'x', prompt: 'a', n: 0 }, 'n'],
    ['/v1/audio/speech', { input: 'a' }, 'model'],
  ] as const) {
    const { status, json } = await tollgate.call('POST', path, { body })
    expect([path, status, json.error.param]).toEqual([path, 400, param])
  }
})

test('A spend cap holds for embeddings: the next request gets 402', async () => {
  // 20 tokens at 10,000 USD per million are 0.2 USD.
  await upstream.model(
    'costly-embed',
    (exchange) =>
      exchange.reply(200, { object: 'list', data: [], usage: { prompt_tokens: 20, total_tokens: 20 } }),
    { pricing: { inputPerMillion: 10_000, outputPerMillion: 0 } },
  )
  const { id, secret } = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.1 })
  const input = ['a']
  await sdk(secret).embeddings.create({ model: 'costly-embed', input })
  await expect(sdk(secret).embeddings.create({ model: 'costly-embed', input })).rejects.toMatchObject({
    status: 402,
    code: 'spend_limit_reached',
  })
  const { json } = await tollgate.call('GET', `/v1/keys/${id}`)
  expect(json).toMatchObject({ spendUsd: 0.2, reservedUsd: 0 })
})

test('A capped key gets 400 for a model whose unit has no price', async () => {
  await upstream.model(
    'free-text-image',
    (exchange) => exchange.reply(200, { data: [{ url: 'http://x' }] }),
    {
      pricing: { inputPerMillion: 0, outputPerMillion: 0 },
    },
  )
  const { secret } = await tollgate.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
  const create = (apiKey: string) =>
    sdk(apiKey).images.generate({ model: 'free-text-image', prompt: 'A map' }).withResponse()
  await expect(create(secret)).rejects.toMatchObject({ status: 400, code: 'model_unpriced' })
  const { response } = await create(tollgate.admin)
  expect(await tollgate.getRecord(response.headers.get('x-request-id'))).toMatchObject({
    costStatus: 'estimated',
  })
})

test('Images are billed by the image or by tokens, as the price says', async () => {
  const data = [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }]
  await upstream.model('by-image', (exchange) => exchange.reply(200, { created: 1, data }), {
    pricing: { inputPerMillion: 0, outputPerMillion: 0, perImage: 0.02 },
  })
  const usage = {
    input_tokens: 60,
    input_tokens_details: { text_tokens: 50, image_tokens: 10 },
    output_tokens: 1_000,
    total_tokens: 1_060,
  }
  await upstream.model('by-token', (exchange) => exchange.reply(200, { created: 1, data, usage }), {
    pricing: { inputPerMillion: 5, outputPerMillion: 10, imageInputPerMillion: 8, imageOutputPerMillion: 32 },
  })
  const cost = async (model: string) => {
    const { data: answer, response } = await sdk()
      .images.generate({ model, prompt: 'A map', n: 2 })
      .withResponse()
    expect(answer.data).toHaveLength(2)
    return await tollgate.getRecord(response.headers.get('x-request-id'))
  }
  expect(await cost('by-image')).toMatchObject({ costUsd: 0.04, costStatus: 'exact', usage: { images: 2 } })
  // 50 × 5 + 10 × 8 + 1,000 × 32 = 32,330 micro-dollars
  expect(await cost('by-token')).toMatchObject({ costUsd: 0.03233, costStatus: 'exact' })
})

test('Moderations and rerank go through, and are billed by their own units', async () => {
  await upstream.model(
    'guard',
    (exchange) => exchange.reply(200, { id: 'm', model: 'guard', results: [{ flagged: false }] }),
    {
      pricing: { inputPerMillion: 0, outputPerMillion: 0 },
    },
  )
  const { data, response } = await sdk()
    .moderations.create({ model: 'guard', input: ['a', 'b'] })
    .withResponse()
  expect(data.results).toHaveLength(1)
  expect(await tollgate.getRecord(response.headers.get('x-request-id'))).toMatchObject({
    costUsd: 0,
    costStatus: 'exact',
  })

  const results = [{ index: 1, relevance_score: 0.9 }]
  await upstream.model(
    'sorter',
    (exchange) => exchange.reply(200, { results, meta: { billed_units: { search_units: 3 } } }),
    { pricing: { inputPerMillion: 0, outputPerMillion: 0, perThousandSearches: 2 } },
  )
  const reranked = await tollgate.call('POST', '/v1/rerank', {
    body: { model: 'sorter', query: 'map', documents: ['a', { text: 'b' }], top_n: 1 },
  })
  expect(reranked.json.results).toEqual(results)
  expect(reranked.headers.get('x-service-cost-usd')).toBe('0.006000')
})
