import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { startFormUpstream } from './testing/form-upstream.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Idempotency')
const scribe = await forFile(
  startFormUpstream(tollgate, 'scribe', ({ exchange, sent }) =>
    exchange.reply(200, { text: `Answer ${sent.length}`, usage: { type: 'duration', seconds: 60 } }),
  ),
)
await scribe.model('by-minute', { inputPerMillion: 0, outputPerMillion: 0, perAudioMinute: 0.006 })

const post = (path: string, key: string, body: string | FormData, headers: Record<string, string> = {}) =>
  fetch(`${tollgate.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tollgate.admin}`, 'idempotency-key': key, ...headers },
    body,
  })
const toBytes = async (response: Response) => Buffer.from(await response.arrayBuffer())
const JSON_BODY = { 'content-type': 'application/json' }
const perCharacter = { pricing: { inputPerMillion: 0, outputPerMillion: 0, perMillionCharacters: 15 } }

test('Audio is replayed byte for byte, with its headers, and is not billed again', async () => {
  const audio = Buffer.from([0xff, 0xf3, 0x00, 0x80, 0xc3, 0x28, 0x0a])
  await upstream.model(
    'voice',
    (exchange) => void exchange.begin({ 'content-type': 'audio/mpeg' }).raw(audio).response.end(),
    perCharacter,
  )
  const speak = () =>
    post('/v1/audio/speech', 'speak', '{"model":"voice","voice":"alloy","input":"Hoi"}', JSON_BODY)
  const first = await speak()
  expect(await toBytes(first)).toEqual(audio)
  const second = await speak()
  expect([second.status, await toBytes(second)]).toEqual([200, audio])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  for (const name of ['content-type', 'x-service-model', 'x-service-request-id']) {
    expect(first.headers.get(name)).not.toBeNull()
    expect([name, second.headers.get(name)]).toEqual([name, first.headers.get(name)])
  }
  expect(second.headers.get('x-service-cost-usd')).toBe('0.000045')
  expect(upstream.calls('voice')).toHaveLength(1)
})

test('Audio above 4 MiB is not stored: its repetition is 502 and is not run', async () => {
  const audio = Buffer.alloc(4 * 1024 * 1024 + 1, 0xff)
  await upstream.model(
    'long-voice',
    (exchange) => void exchange.begin({ 'content-type': 'audio/wav' }).raw(audio).response.end(),
    perCharacter,
  )
  const speak = () =>
    post('/v1/audio/speech', 'long', '{"model":"long-voice","voice":"alloy","input":"Hoi"}', JSON_BODY)
  expect((await toBytes(await speak())).byteLength).toBe(audio.byteLength)
  const second = await speak()
  expect(second.status).toBe(502)
  expect(await second.json()).toMatchObject({ error: { code: 'answer_too_large' } })
  expect(upstream.calls('long-voice')).toHaveLength(1)
})

function form(audio: string, name = 'a.mp3', type = 'audio/mpeg') {
  const data = new FormData()
  data.set('model', 'by-minute')
  data.set('file', new File([audio], name, { type }))
  return data
}

test('A form with another boundary is the same request; one with another part is not', async () => {
  const transcribe = (key: string, body: FormData) => post('/v1/audio/transcriptions', key, body)
  const first = await transcribe('form', form('one'))
  const second = await transcribe('form', form('one'))
  expect([second.status, await second.text()]).toEqual([200, await first.text()])
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  const others = [form('two'), form('one', 'b.mp3'), form('one', 'a.mp3', 'audio/wav')]
  const withField = form('one')
  withField.set('language', 'de')
  for (const other of [...others, withField]) {
    const response = await transcribe('form', other)
    expect(await response.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } })
  }
  expect(scribe.sent).toHaveLength(1)
})
