import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { startFormUpstream } from './testing/form-upstream.ts'
import { openaiFor } from './testing/openai-client.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Embeddings, images and audio')

const sdk = openaiFor(tollgate)

const FORM_MODEL = /name="model"\r\n\r\n([^\r]*)/

const usage = {
  ...{ type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 },
  input_token_details: { text_tokens: 4, audio_tokens: 10 },
}
/** In the order of the calls. */
const ANSWERS: readonly [type: string, body: string][] = [
  ['application/json', JSON.stringify({ text: 'Hoi', usage: { type: 'duration', seconds: 90 } })],
  ['application/json', JSON.stringify({ text: 'Hoi', usage })],
  ['text/plain; charset=utf-8', 'Hoi\n'],
]
const scribe = await forFile(
  startFormUpstream(tollgate, 'scribe', ({ exchange, sent }) => {
    const [type, body] = ANSWERS[sent.length - 1] ?? []
    exchange.reply(200, body, { 'content-type': type ?? '' })
  }),
)
await scribe.model(
  'by-minute',
  { inputPerMillion: 0, outputPerMillion: 0, perAudioMinute: 0.006 },
  'whisper-x',
)
await scribe.model('by-token', { inputPerMillion: 2.5, outputPerMillion: 10, audioInputPerMillion: 6 })

test('The openai SDK transcribes: the form goes unchanged, billed by the minute or by tokens', async () => {
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
