import { expect } from 'vitest'
import { startTestUpstream } from '../gateway/upstream/testing/test-upstream.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { openaiFor } from './testing/openai-client.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Embeddings, images and audio')

const sdk = openaiFor(tollgate)

test('Speech comes as the bytes of the provider, billed by the character', async () => {
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
  expect(await tollgate.getRecord(response.headers.get('x-request-id'))).toMatchObject({
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

test('The openai SDK transcribes: the form goes unchanged, billed by the minute or by tokens', async () => {
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
    expect(await tollgate.getRecord(byMinute.response.headers.get('x-request-id'))).toMatchObject({
      costUsd: 0.009,
      costStatus: 'exact',
      usage: { audioSeconds: 90 },
      endpoint: 'POST /v1/audio/transcriptions',
    })
    // 4 × 2.5 + 10 × 6 + 5 × 10 = 120 micro-dollars
    const byToken = await ask('by-token')
    expect(await tollgate.getRecord(byToken.response.headers.get('x-request-id'))).toMatchObject({
      costUsd: 0.00012,
      costStatus: 'exact',
    })
    const text = await sdk()
      .audio.translations.create({ model: 'by-minute', file: file(), response_format: 'text' })
      .withResponse()
    expect(text.data).toBe('Hoi\n')
    expect(await tollgate.getRecord(text.response.headers.get('x-request-id'))).toMatchObject({
      costStatus: 'estimated',
    })
  } finally {
    await scribe.close()
  }
})

test('A transcription without a form, a file or a model is rejected', async () => {
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
  const { status } = await tollgate.call('POST', '/v1/embeddings', {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: {},
  })
  expect(status).toBe(415)
})
