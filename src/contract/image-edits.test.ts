import { expect } from 'vitest'
import { forFile } from '../gateway/testing/lifetime.ts'
import { ErrorEnvelope } from '../shared/api/errors.ts'
import { startFormUpstream } from './testing/form-upstream.ts'
import { openaiFor } from './testing/openai-client.ts'
import { shareSection } from './testing/upstream.ts'

const { test, tollgate } = await shareSection('Embeddings, images and audio')
const FREE = { inputPerMillion: 0, outputPerMillion: 0 }
const PATH = '/v1/images/edits'
const usage = {
  input_tokens: 60,
  input_tokens_details: { text_tokens: 50, image_tokens: 10 },
  output_tokens: 1_000,
  total_tokens: 1_060,
}
const painter = await forFile(
  startFormUpstream(tollgate, 'painter', ({ exchange }) =>
    exchange.reply(200, { created: 1, data: [{ b64_json: 'AAAA' }, { b64_json: 'BBBB' }], usage }),
  ),
)
await painter.model('by-image', { ...FREE, perImage: 0.02 })
await painter.model('by-token', {
  inputPerMillion: 5,
  outputPerMillion: 10,
  imageInputPerMillion: 8,
  imageOutputPerMillion: 32,
})

test('The openai SDK edits images: the form goes unchanged, billed by the image', async () => {
  const image = ['one', 'two'].map(
    (name) => new File([`png of ${name}`], `${name}.png`, { type: 'image/png' }),
  )
  const { data, response } = await openaiFor(tollgate)()
    .images.edit({ model: 'painter/by-image', prompt: 'A map', image, n: 2 })
    .withResponse()
  expect(data.data).toHaveLength(2)
  const sent = painter.sent.at(-1)
  expect(sent?.path).toBe('/images/edits')
  expect(sent?.headers['content-type']).toContain('multipart/form-data')
  expect(sent?.body).toMatch(/name="model"\r\n\r\nby-image\r\n/)
  expect(sent?.body).toContain('png of two')
  expect(await tollgate.getRecord(response.headers.get('x-request-id'))).toMatchObject({
    costUsd: 0.04,
    costStatus: 'exact',
    usage: { images: 2 },
    endpoint: 'POST /v1/images/edits',
  })
})

test('Edits may be JSON, billed by tokens', async () => {
  const body = { model: 'by-token', prompt: 'A map', images: [{ image_url: 'https://example.com/a.png' }] }
  const answer = await tollgate.call('POST', PATH, { body })
  expect(answer.status).toBe(200)
  expect(painter.sent.at(-1)?.json()).toEqual(body)
  // 50 × 5 + 10 × 8 + 1,000 × 32 = 32,330 micro-dollars
  expect(answer.headers.get('x-service-cost-usd')).toBe('0.032330')
})

test('Edits without a model or prompt, with another media type, and as a stream, are rejected', async () => {
  const sendForm = async (fields: Record<string, string>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    const headers = { authorization: `Bearer ${tollgate.admin}` }
    const response = await fetch(`${tollgate.baseUrl}${PATH}`, { method: 'POST', headers, body })
    return { status: response.status, error: ErrorEnvelope.parse(await response.json()).error }
  }
  const invalid = (param: string) => ({ status: 400, error: { param } })
  expect(await sendForm({ prompt: 'A map' })).toMatchObject(invalid('model'))
  expect(await sendForm({ model: 'by-image' })).toMatchObject(invalid('prompt'))
  expect(await sendForm({ model: 'by-image', prompt: 'A map', n: '0' })).toMatchObject(invalid('n'))
  expect(await sendForm({ model: 'by-image', prompt: 'A map', stream: 'true' })).toMatchObject(
    invalid('stream'),
  )
  const json = await tollgate.call('POST', PATH, {
    body: { model: 'by-image', prompt: 'A map', stream: true },
  })
  expect([json.status, json.json.error.param]).toEqual([400, 'stream'])
})
