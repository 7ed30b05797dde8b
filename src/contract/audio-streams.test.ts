import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, vi } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startFormUpstream } from './testing/form-upstream.ts'
import { openaiFor } from './testing/openai-client.ts'
import { openPost } from './testing/socket.ts'
import { shareForFile } from './testing/upstream.ts'

const FREE = { inputPerMillion: 0, outputPerMillion: 0 }
const BY_CHARACTER = { pricing: { ...FREE, perMillionCharacters: 15 } }
const MPEG = { 'content-type': 'audio/mpeg' }

const { test, tollgate, upstream } = await shareForFile('Embeddings, images and audio')
const scribe = await forFile(
  startFormUpstream(tollgate, 'scribe', ({ exchange, sent }) => {
    exchange.begin()
    const text = { type: 'transcript.text.delta', delta: 'Hoi' }
    const usage = {
      ...{ type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 },
      input_token_details: { text_tokens: 4, audio_tokens: 10 },
    }
    // The second answer is cut.
    if (sent.length === 2) return void exchange.data(text).end()
    exchange.data(text, { type: 'transcript.text.done', text: 'Hoi', usage }).end()
  }),
)
await scribe.model('by-token', { inputPerMillion: 2.5, outputPerMillion: 10, audioInputPerMillion: 6 })

const sdk = openaiFor(tollgate)

async function getRecord(response: { headers: IncomingMessage['headers'] }) {
  const read = async () => await tollgate.getRecord(response.headers['x-request-id'])
  const readEnded = async () => {
    const record = await read()
    expect(record.status).not.toBe('running')
    return record
  }
  return await vi.waitFor(readEnded)
}

const speak = (body: object, headers: Record<string, string> = {}) =>
  openPost(
    `${tollgate.baseUrl}/v1/audio/speech`,
    tollgate.admin,
    { voice: 'alloy', input: 'Hoi zä🗺️', ...body },
    headers,
  )

async function readAll(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts)
}

test('Speech comes in parts as the provider sends them, and its cost as a trailer', async () => {
  const first = Buffer.from([0xff, 0xf3, 0x00, 0x80])
  const second = Buffer.from([0xc3, 0x28, 0x0a])
  const more = Promise.withResolvers<void>()
  await upstream.model(
    'voice',
    async (exchange) => {
      exchange.begin(MPEG).raw(first)
      await more.promise
      exchange.raw(second).end()
    },
    BY_CHARACTER,
  )
  const response = await speak({ model: 'voice' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'audio/mpeg'])
  expect(response.headers['x-service-model']).toBe('voice')
  const [part] = await once(response, 'data')
  expect(part).toEqual(first)
  more.resolve()
  expect(await readAll(response)).toEqual(second)
  // 8 characters at 15 USD per million: the picture is two.
  expect(response.trailers['x-service-cost-usd']).toBe('0.000120')
  expect(await getRecord(response)).toMatchObject({
    status: 'succeeded',
    costUsd: 0.00012,
    costStatus: 'exact',
  })
})

test('A client that disconnects while it gets speech ends the call of the provider', async () => {
  const disconnected = Promise.withResolvers<void>()
  await upstream.model(
    'endless-voice',
    (exchange) => {
      exchange.begin(MPEG).raw('begin')
      void exchange.disconnected.then(disconnected.resolve)
    },
    BY_CHARACTER,
  )
  const response = await speak({ model: 'endless-voice' })
  await once(response, 'data')
  response.destroy()
  await disconnected.promise
  expect(await getRecord(response)).toMatchObject({ status: 'canceled', costUsd: 0.00012 })
})

test('Speech that the provider cuts ends with a broken connection, and its replay with the error', async () => {
  const id = await upstream.modelAtNewProvider((exchange) => {
    exchange.begin(MPEG).raw('begin')
    setImmediate(() => exchange.response.socket?.destroySoon())
  }, BY_CHARACTER)
  const key = { 'idempotency-key': 'cut-voice' }
  const response = await speak({ model: id }, key)
  await expect(readAll(response)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(await getRecord(response)).toMatchObject({ status: 'failed', error: { type: 'upstream_error' } })
  const replay = await speak({ model: id }, key)
  expect([replay.statusCode, replay.headers['idempotency-replayed']]).toEqual([502, 'true'])
  expect(JSON.parse((await readAll(replay)).toString())).toMatchObject({ error: { type: 'upstream_error' } })
})

test('Speech as events is passed on and billed by its usage', async () => {
  const delta = { type: 'speech.audio.delta', audio: 'AAAA' }
  const done = {
    type: 'speech.audio.done',
    usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 },
  }
  await upstream.model('event-voice', (exchange) => exchange.begin().data(delta, done).end(), {
    pricing: { inputPerMillion: 0.6, outputPerMillion: 12, audioOutputPerMillion: 12 },
  })
  const response = await speak({ model: 'event-voice', stream_format: 'sse' })
  expect(response.headers['content-type']).toContain('text/event-stream')
  const sent = [delta, done].map((event) => `data: ${JSON.stringify(event)}\n\n`)
  expect((await readAll(response)).toString()).toBe(sent.join(''))
  // 14 × 0.6 + 101 × 12 = 1,220.4 micro-dollars
  expect(response.trailers['x-service-cost-usd']).toBe('0.001220')
  const record = await getRecord(response)
  expect(record).toMatchObject({ costUsd: 0.0012204, costStatus: 'exact', stream: true })
})

async function listTypes(events: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of events) types.push(type)
  return types
}

test('The openai SDK streams a transcription; one that is cut ends with an error', async () => {
  const ask = () =>
    sdk()
      .audio.transcriptions.create({ model: 'by-token', file: new File(['a'], 'a.mp3'), stream: true })
      .withResponse()
  const { data, response } = await ask()
  expect(await listTypes(data)).toEqual(['transcript.text.delta', 'transcript.text.done'])
  // 4 × 2.5 + 10 × 6 + 5 × 10 = 120 micro-dollars
  const headers = Object.fromEntries(response.headers)
  expect(await getRecord({ headers })).toMatchObject({ costUsd: 0.00012, costStatus: 'exact', stream: true })

  const cut = await ask()
  await expect(listTypes(cut.data)).rejects.toThrow('without its last event')
  expect(await getRecord({ headers: Object.fromEntries(cut.response.headers) })).toMatchObject({
    status: 'failed',
  })
})
