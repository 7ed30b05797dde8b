// Lengths are measured where their report is missing or zero. The bills are computed from the provider's actions.

import { expect, test } from 'vitest'
import type { Pricing } from '../../shared/api/models.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, type TestHandler } from '../upstream/testing/test-upstream.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())
await gateway.addProvider('media', upstream.url, [])

async function getRecord(handler: TestHandler, pricing: Partial<Pricing>, path: string, body: object) {
  upstream.handler = handler
  const price = { inputPerMillion: 0, outputPerMillion: 0, ...pricing }
  await gateway.call('PUT', '/v1/models/m', { body: { provider: 'media', pricing: price } })
  const { status } = await gateway.call('POST', path, { body: { model: 'm', ...body } })
  const [record] = await gateway.records()
  return { status, record }
}

/** A frame of MPEG 2, layer III, 160 kbit/s, 24 kHz. */
const MP3_FRAME = Buffer.from([0xff, 0xf3, 0xe4, 0xc4])
const MP3_BYTES_PER_SECOND = 20_000

function createWav(seconds: number): Buffer {
  const wav = Buffer.alloc(44 + seconds * 48_000)
  wav.write('RIFF', 0, 'latin1')
  wav.write('WAVEfmt ', 8, 'latin1')
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(24_000, 24)
  wav.writeUInt32LE(48_000, 28)
  wav.writeUInt16LE(16, 34)
  return wav
}

const minute: [type: string, audio: Buffer][] = [
  ['audio/mpeg', Buffer.concat([MP3_FRAME, Buffer.alloc(60 * MP3_BYTES_PER_SECOND)])],
  ['audio/wav', createWav(60)],
  ['audio/pcm', Buffer.alloc(60 * 48_000)],
]
const words = { voice: 'alloy', input: '你好你好你好你好你好' }
const TOKENS = { inputPerMillion: 0.6, outputPerMillion: 12 }
/** OpenAI's own figure for a minute of `gpt-4o-mini-tts`. */
const MINUTE_USD = 0.015

test.each(minute)('a minute of speech that is billed by tokens, as %s', async (type, audio) => {
  const handler: TestHandler = (exchange) =>
    void exchange.begin({ 'content-type': type }).raw(audio).response.end()
  const { record } = await getRecord(handler, TOKENS, '/v1/audio/speech', words)
  expect(record?.costStatus).toBe('estimated')
  expect(record?.costUsd).toBeGreaterThan(MINUTE_USD)
  expect(record?.costUsd).toBeLessThan(MINUTE_USD * 1.1)
})

test('a minute of speech in events without a report', async () => {
  const audio = minute[0]?.[1].toString('base64') ?? ''
  const half = Math.ceil(audio.length / 8) * 4
  const handler: TestHandler = (exchange) =>
    exchange
      .begin()
      .data(
        { type: 'speech.audio.delta', audio: audio.slice(0, half) },
        { type: 'speech.audio.delta', audio: audio.slice(half) },
        { type: 'speech.audio.done' },
      )
      .end()
  const { record } = await getRecord(handler, TOKENS, '/v1/audio/speech', { ...words, stream_format: 'sse' })
  expect(record?.costStatus).toBe('estimated')
  expect(record?.costUsd).toBeGreaterThan(MINUTE_USD)
})

test('a speed below one reserves as much more', async () => {
  const second: TestHandler = (exchange) =>
    void exchange.begin({ 'content-type': 'audio/pcm' }).raw(Buffer.alloc(48_000)).response.end()
  await getRecord(second, TOKENS, '/v1/audio/speech', words)
  const { secret } = await gateway.createKey({ name: 'k', scope: 'full', spendLimitUsd: 0.02, strict: true })
  const speak = async (speed: number) =>
    (await gateway.call('POST', '/v1/audio/speech', { as: secret, body: { model: 'm', ...words, speed } }))
      .status
  expect(await speak(0.25)).toBe(402)
  expect(await speak(1)).toBe(200)
})

test('images of an answer without any are those that were asked for', async () => {
  const none: TestHandler = (exchange) => exchange.reply(200, { created: 1, data: [] })
  const body = { prompt: 'A cat', n: 2 }
  const { record } = await getRecord(none, { perImage: 0.04 }, '/v1/images/generations', body)
  expect(record).toMatchObject({ costUsd: 0.08, costStatus: 'estimated' })
})

test('a rerank that reports no search is measured', async () => {
  const zero: TestHandler = (exchange) =>
    exchange.reply(200, { results: [], meta: { billed_units: { search_units: 0 } } })
  const body = { query: 'cats', documents: Array.from({ length: 150 }, () => 'A cat.') }
  const { record } = await getRecord(zero, { perThousandSearches: 2 }, '/v1/rerank', body)
  expect(record).toMatchObject({ costUsd: 0.004, costStatus: 'estimated' })
})

test.each([{ prompt_tokens: 0, total_tokens: 0 }, undefined])(
  'embeddings with the report %j',
  async (usage) => {
    const handler: TestHandler = (exchange) =>
      exchange.reply(200, { object: 'list', data: [{ index: 0, embedding: [1] }], ...(usage && { usage }) })
    const body = { input: 'one two three four five six seven eight' }
    const { record } = await getRecord(handler, { inputPerMillion: 1 }, '/v1/embeddings', body)
    expect(record?.costStatus).toBe('estimated')
    expect(record?.costUsd).toBeGreaterThanOrEqual(8 / 1e6)
    expect(record?.costUsd).toBeLessThanOrEqual(16 / 1e6)
  },
)

test('embeddings of tokens without a report', async () => {
  const handler: TestHandler = (exchange) => exchange.reply(200, { object: 'list', data: [] })
  const body = { input: [Array.from({ length: 500 }, () => 7), Array.from({ length: 500 }, () => 8)] }
  const { record } = await getRecord(handler, { inputPerMillion: 1 }, '/v1/embeddings', body)
  expect(record?.costStatus).toBe('estimated')
  expect(record?.costUsd).toBeGreaterThanOrEqual(1_000 / 1e6)
  expect(record?.costUsd).toBeLessThanOrEqual(1_100 / 1e6)
})
