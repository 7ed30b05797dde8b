import OpenAI from 'openai'
import { afterAll, expect } from 'vitest'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { ErrorEnvelope } from '../shared/errors.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { startScriptedUpstream } from './testing/upstream.ts'

const SECTION = 'Embeddings, images and audio'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
})

const sdk = (apiKey = tollgate.admin) =>
  new OpenAI({ apiKey, baseURL: `${tollgate.baseUrl}/v1`, maxRetries: 0 })

async function recordOf(id: string | null) {
  const { json } = await tollgate.call('GET', `/v1/requests/${id}`)
  return json
}

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
  expect(await recordOf(answer.headers.get('x-request-id'))).toMatchObject({
    status: 'succeeded',
    costUsd: 0.0000003,
    costStatus: 'exact',
    tokensIn: 3,
    endpoint: 'POST /v1/embeddings',
  })
})

rule(
  SECTION,
  'A request goes to the provider as it came, except for the model, and so does the answer',
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

rule(SECTION, 'A spend cap holds for embeddings: the next request gets 402', async () => {
  // 2,000,000 tokens at 0.1 USD per million are 0.2 USD.
  await upstream.model(
    'costly-embed',
    (exchange) =>
      exchange.reply(200, {
        object: 'list',
        data: [],
        usage: { prompt_tokens: 2_000_000, total_tokens: 2_000_000 },
      }),
    { pricing: { inputPerMillion: 0.1, outputPerMillion: 0 } },
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
  expect(await recordOf(response.headers.get('x-request-id'))).toMatchObject({ costStatus: 'estimated' })
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
    return await recordOf(response.headers.get('x-request-id'))
  }
  expect(await cost('by-image')).toMatchObject({ costUsd: 0.04, costStatus: 'exact', usage: { images: 2 } })
  // 50 × 5 + 10 × 8 + 1,000 × 32 = 32,330 micro-dollars
  expect(await cost('by-token')).toMatchObject({ costUsd: 0.03233, costStatus: 'exact' })
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
  expect(await recordOf(response.headers.get('x-request-id'))).toMatchObject({
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

rule(SECTION, 'Speech comes as the bytes of the provider, billed by the character', async () => {
  const audio = Buffer.from([0xff, 0xf3, 0x00, 0x80, 0xc3, 0x28])
  await upstream.model(
    'voice',
    (exchange) => void exchange.begin({ 'content-type': 'audio/mpeg' }).raw(audio).response.end(),
    { pricing: { inputPerMillion: 0, outputPerMillion: 0, perMillionCharacters: 15 } },
  )
  const response = await sdk().audio.speech.create({ model: 'voice', voice: 'alloy', input: 'Grüezi 🗺️' })
  expect(response.headers.get('content-type')).toBe('audio/mpeg')
  expect(Buffer.from(await response.arrayBuffer())).toEqual(audio)
  // 9 characters at 15 USD per million: the picture is two.
  expect(await recordOf(response.headers.get('x-request-id'))).toMatchObject({
    costUsd: 0.000135,
    costStatus: 'exact',
    usage: { characters: 9 },
  })
})

const FORM_MODEL = /name="model"\r\n\r\n([^\r]*)/

/** A provider whose only endpoint answers transcriptions, in order. */
async function transcribers(...answers: readonly [string, string][]) {
  const sent: { body: string; path: string; type: string | undefined }[] = []
  const server = await startTestUpstream((exchange) => {
    const { body, path, headers, method } = exchange.request
    if (method === 'GET') return exchange.reply(200, { object: 'list', data: [] })
    const [type, answer] = answers[sent.length] ?? ['application/json', '{}']
    sent.push({ body, path, type: headers['content-type'] })
    exchange.reply(200, answer, { 'content-type': type })
  })
  await tollgate.call('PUT', '/v1/providers/scribe', {
    body: { apiFormat: 'openai-chat', baseUrl: server.url, credential: 'canary-credential-scribe' },
  })
  const free = { inputPerMillion: 0, outputPerMillion: 0 }
  const add = (id: string, upstreamModel: string, pricing: object) =>
    tollgate.call('PUT', `/v1/models/${id}`, { body: { provider: 'scribe', upstreamModel, pricing } })
  await add('by-minute', 'whisper-x', { ...free, perAudioMinute: 0.006 })
  await add('by-token', 'scribe-tokens', {
    inputPerMillion: 2.5,
    outputPerMillion: 10,
    audioInputPerMillion: 6,
  })
  return { sent, close: () => server.close() }
}

rule(
  SECTION,
  'The openai SDK transcribes: the form goes as it came, billed by the minute or by tokens',
  async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 14,
      input_token_details: { text_tokens: 4, audio_tokens: 10 },
      output_tokens: 5,
      total_tokens: 19,
    }
    const scribe = await transcribers(
      ['application/json', JSON.stringify({ text: 'Hoi', usage: { type: 'duration', seconds: 90 } })],
      ['application/json', JSON.stringify({ text: 'Hoi', usage })],
      ['text/plain; charset=utf-8', 'Hoi\n'],
    )
    try {
      const file = () => new File(['RIFF-not-really'.repeat(1_000)], 'a.mp3', { type: 'audio/mpeg' })
      const ask = (model: string, options: object = {}) =>
        sdk()
          .audio.transcriptions.create({ model, file: file(), ...options })
          .withResponse()
      const byMinute = await ask('by-minute')
      expect(byMinute.data.text).toBe('Hoi')
      expect(scribe.sent[0]?.path).toBe('/audio/transcriptions')
      expect(FORM_MODEL.exec(scribe.sent[0]?.body ?? '')?.[1]).toBe('whisper-x')
      expect(scribe.sent[0]?.body).toContain('RIFF-not-really'.repeat(1_000))
      // 1.5 minutes at 0.006 USD.
      expect(await recordOf(byMinute.response.headers.get('x-request-id'))).toMatchObject({
        costUsd: 0.009,
        costStatus: 'exact',
        usage: { audioSeconds: 90 },
        endpoint: 'POST /v1/audio/transcriptions',
      })
      // 4 × 2.5 + 10 × 6 + 5 × 10 = 120 micro-dollars
      const byToken = await ask('by-token')
      expect(await recordOf(byToken.response.headers.get('x-request-id'))).toMatchObject({
        costUsd: 0.00012,
        costStatus: 'exact',
      })
      const text = await sdk()
        .audio.translations.create({ model: 'by-minute', file: file(), response_format: 'text' })
        .withResponse()
      expect(text.data).toBe('Hoi\n')
      expect(await recordOf(text.response.headers.get('x-request-id'))).toMatchObject({
        costStatus: 'estimated',
      })
    } finally {
      await scribe.close()
    }
  },
)

rule(SECTION, 'A transcription without a form, a file or a model is rejected', async () => {
  const send = async (body: string | FormData, headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${tollgate.admin}`
    const response = await fetch(`${tollgate.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization, ...headers },
      body,
    })
    return { status: response.status, error: ErrorEnvelope.parse(await response.json()).error }
  }
  const form = (fields: Record<string, string | File>) => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.set(name, value)
    return data
  }
  expect((await send('{}', { 'content-type': 'application/json' })).status).toBe(415)
  expect((await send('--x', { 'content-type': 'multipart/form-data; boundary=x' })).status).toBe(400)
  const file = new File(['a'], 'a.wav')
  expect(await send(form({ model: 'by-minute' }))).toMatchObject({ status: 400, error: { param: 'file' } })
  expect(await send(form({ file }))).toMatchObject({ status: 400, error: { param: 'model' } })
  const stream = await send(form({ file, model: 'by-minute', stream: 'true' }))
  expect(stream).toMatchObject({ status: 400, error: { param: 'stream' } })
  const { status } = await tollgate.call('POST', '/v1/embeddings', {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: {},
  })
  expect(status).toBe(415)
})

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
