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

const cosine = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0)

rule(SECTION, 'The openai SDK gets embeddings of the sandbox, as floats and as base64', async () => {
  const client = sdk()
  const create = (body: object) =>
    client.embeddings.create({ model: 'sandbox-embedding', input: 'the quick fox', ...body })
  // The SDK asks for base64 by default, and decodes it.
  const [decoded, floats] = await Promise.all([create({}), create({ encoding_format: 'float' })])
  expect(decoded.data[0]?.embedding).toHaveLength(256)
  expect(cosine(decoded.data[0]?.embedding ?? [], floats.data[0]?.embedding ?? [])).toBeCloseTo(1, 5)
  const batch = await create({ input: ['the quick fox', 'a quick fox', 'nothing else'], dimensions: 64 })
  const [first = [], second = [], third = []] = batch.data.map(({ embedding }) => embedding)
  expect(first).toHaveLength(64)
  expect(cosine(first, second)).toBeGreaterThan(cosine(first, third))
  const tokens = await create({ input: [[1, 2, 3], [4]] })
  expect(tokens.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
})

rule(SECTION, 'Embeddings cost what their tokens do, in the headers and in the record', async () => {
  // 3 tokens at 0.1 USD per million.
  const answer = await tollgate.call('POST', '/v1/embeddings', {
    body: { model: 'sandbox-embedding', input: [[7, 8, 9]] },
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-service-cost-usd')).toBe('0.000000')
  expect(answer.headers.get('x-service-tokens-in')).toBe('3')
  expect(answer.headers.get('x-service-model')).toBe('sandbox-embedding')
  expect(await getRecord(answer.headers.get('x-request-id'))).toMatchObject({
    status: 'succeeded',
    costUsd: 0.0000003,
    costStatus: 'exact',
    tokensIn: 3,
    endpoint: 'POST /v1/embeddings',
  })
})

rule(
  SECTION,
  'A request goes to the provider unchanged, except for the model, and so does the answer',
  async () => {
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
  },
)

rule(SECTION, 'A failed provider is retried, and its error is explained like that of a chat', async () => {
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

rule(SECTION, 'A model of a provider without the endpoint gets 404 with providers that have it', async () => {
  const { status, json } = await tollgate.call('POST', '/v1/images/generations', {
    body: { model: 'sandbox-large', prompt: 'A map' },
  })
  expect([status, json.error.code]).toEqual([404, 'endpoint_not_served'])
  expect(json.error.message).toContain('OpenAI')
})

rule(SECTION, 'An embedding model cannot chat, and a chat model has no embeddings', async () => {
  const chat = await tollgate.chat({ model: 'sandbox-embedding' })
  expect([chat.status, chat.json.error.param]).toEqual([400, 'model'])
  const embedding = await tollgate.call('POST', '/v1/embeddings', {
    body: { model: 'sandbox-large', input: 'a' },
  })
  expect([embedding.status, embedding.json.error.param]).toEqual([400, 'model'])
})

rule(SECTION, 'A repeated Idempotency-Key gets the same answer and is not billed again', async () => {
  const send = () =>
    tollgate.call('POST', '/v1/embeddings', {
      body: { model: 'sandbox-embedding', input: 'once' },
      headers: { 'idempotency-key': 'embed-once' },
    })
  const [first, second] = [await send(), await send()]
  expect(second.text).toBe(first.text)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
})

rule(SECTION, 'An invalid body gets 400 that names the field', async () => {
  for (const [path, body, param] of [
    ['/v1/embeddings', { model: 'sandbox-embedding', input: [] }, 'input'],
    ['/v1/embeddings', { model: 'sandbox-embedding', input: 'a', encoding_format: 'hex' }, 'encoding_format'],
    ['/v1/embeddings', { model: 'sandbox-embedding', input: 'a', api_base: 'http://x' }, 'api_base'],
    ['/v1/rerank', { model: 'x', query: 'a' }, 'documents'],
    ['/v1/images/generations', { model: 'x', prompt: 'a', n: 0 }, 'n'],
    ['/v1/audio/speech', { input: 'a' }, 'model'],
  ] as const) {
    const { status, json } = await tollgate.call('POST', path, { body })
    expect([path, status, json.error.param]).toEqual([path, 400, param])
  }
})
