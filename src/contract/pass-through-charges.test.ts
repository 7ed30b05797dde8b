import { afterAll, expect } from 'vitest'
import { openaiFor } from './testing/openai-client.ts'
import { startProgram } from './testing/program.ts'
import { recordReader } from './testing/records.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'

const SECTION = 'Embeddings, images and audio'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const sdk = openaiFor(tollgate)
const getRecord = recordReader(tollgate)

rule(SECTION, 'A spend cap holds for embeddings: the next request gets 402', async () => {
  // 20 tokens at 10,000 USD per million are 0.2 USD.
  await upstream.model(
    'costly-embed',
    (exchange) =>
      exchange.reply(200, {
        object: 'list',
        data: [],
        usage: { prompt_tokens: 20, total_tokens: 20 },
      }),
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

rule(SECTION, 'A capped key gets 400 for a model whose unit has no price', async () => {
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
  expect(await getRecord(response.headers.get('x-request-id'))).toMatchObject({ costStatus: 'estimated' })
})

rule(SECTION, 'Images are billed by the image or by tokens, as the price says', async () => {
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
    return await getRecord(response.headers.get('x-request-id'))
  }
  expect(await cost('by-image')).toMatchObject({ costUsd: 0.04, costStatus: 'exact', usage: { images: 2 } })
  // 50 × 5 + 10 × 8 + 1,000 × 32 = 32,330 micro-dollars
  expect(await cost('by-token')).toMatchObject({ costUsd: 0.03233, costStatus: 'exact' })
})

rule(SECTION, 'A report of 0 tokens, or none, does not make a request free', async () => {
  const none = { prompt_tokens: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  await upstream.model('zero-embed', (exchange) => exchange.reply(200, { data: [], usage: none }), {
    pricing: { inputPerMillion: 1_000, outputPerMillion: 0 },
  })
  await upstream.model('zero-image', (exchange) => exchange.reply(200, { data: [{}], usage: none }), {
    pricing: { inputPerMillion: 5, outputPerMillion: 10, imageOutputPerMillion: 1_000 },
  })
  const embedding = await tollgate.call('POST', '/v1/embeddings', {
    body: { model: 'zero-embed', input: 'one two three' },
  })
  const embedded = await getRecord(embedding.headers.get('x-request-id'))
  expect(embedded.costStatus).toBe('estimated')
  // 3 tokens are the least.
  expect(embedded.costUsd).toBeGreaterThanOrEqual(0.003)
  const image = await tollgate.call('POST', '/v1/images/generations', {
    body: { model: 'zero-image', prompt: 'A map' },
  })
  const { costUsd, costStatus } = await getRecord(image.headers.get('x-request-id'))
  expect(costStatus).toBe('estimated')
  expect(costUsd).toBeGreaterThan(1)
})

rule(SECTION, 'Moderations and rerank go through, and are billed by their own units', async () => {
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
  expect(await getRecord(response.headers.get('x-request-id'))).toMatchObject({
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

rule(SECTION, 'A cap holds for images: no more is sent once it is reached', async () => {
  await upstream.model('dear-image', (exchange) => exchange.reply(200, { data: [{ b64_json: 'AAAA' }] }), {
    pricing: { inputPerMillion: 0, outputPerMillion: 0, perImage: 0.5 },
  })
  const { secret } = await tollgate.createKey({ name: 'images', scope: 'full', spendLimitUsd: 0.4 })
  const create = () => sdk(secret).images.generate({ model: 'dear-image', prompt: 'A map' })
  // One request may pass the cap; the next one is not sent.
  await create()
  await expect(create()).rejects.toMatchObject({ status: 402, code: 'spend_limit_reached' })
  expect(upstream.calls('dear-image')).toHaveLength(1)
})
