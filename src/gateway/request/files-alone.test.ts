// A turn that is a file alone is for a provider of the client's own format; others refuse it with the reason.

import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream } from '../upstream/testing/test-upstream.ts'
import { NO_TOKENS, vendorFormats } from '../upstream/testing/vendor-formats.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())

const FORMATS = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const
for (const apiFormat of FORMATS)
  await gateway.addProvider(apiFormat, upstream.url, [`m-${apiFormat}`], { apiFormat })

const getAnswer = (format: (typeof FORMATS)[number]) => {
  const usage = vendorFormats[format].usage({ ...NO_TOKENS, input: 9, text: 1 })
  return vendorFormats[format].plain({ texts: ['Hi'], usage })
}

const input = (part: object) => ({ input: [{ role: 'user', content: [part] }] })
const document = (source: object) => ({
  max_tokens: 9,
  messages: [{ role: 'user', content: [{ type: 'document', source }] }],
})
const part = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })
const getPath = {
  'openai-chat': () => '/v1/chat/completions',
  'openai-responses': () => '/v1/responses',
  'anthropic-messages': () => '/v1/messages',
  'gemini-generate': (model: string) => `/v1beta/models/${model}:generateContent`,
}

test.each<[(typeof FORMATS)[number], string, object]>([
  ['openai-responses', 'by id', input({ type: 'input_file', file_id: 'file_1' })],
  ['openai-responses', 'by URL', input({ type: 'input_file', file_url: 'https://a.example/a.pdf' })],
  ['openai-responses', 'an image by id', input({ type: 'input_image', file_id: 'file_1' })],
  ['openai-responses', 'an item by id', { input: [{ id: 'msg_1' }] }],
  [
    'gemini-generate',
    'stored',
    part({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' } }),
  ],
  [
    'gemini-generate',
    'in a bucket',
    part({ file_data: { file_uri: 'gs://a/b.mp4', mime_type: 'video/mp4' } }),
  ],
  ['anthropic-messages', 'by id', document({ type: 'file', file_id: 'file_1' })],
  ['anthropic-messages', 'by URL', document({ type: 'url', url: 'https://a.example/a.pdf' })],
  [
    'openai-chat',
    'by id',
    { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
  ],
])('%s: a file alone, %s', async (format, _, body) => {
  for (const target of FORMATS) {
    upstream.handler = (exchange) => exchange.reply(200, getAnswer(target))
    upstream.requests.length = 0
    const model = `m-${target}`
    const { status, text } = await gateway.call('POST', getPath[format](model), { body: { ...body, model } })
    // The Responses API takes files by id, too.
    const isTaken = target === format || (format === 'openai-chat' && target === 'openai-responses')
    expect([target, status]).toEqual([target, isTaken ? 200 : 400])
    expect(upstream.requests).toHaveLength(isTaken ? 1 : 0)
    if (target === format) expect(upstream.requests[0]?.json()).toMatchObject(body)
    else if (!isTaken)
      expect(text).toMatch(/Only (a provider|providers|Google)|not known here|does not accept this kind/)
  }
})

test('a turn without any part is refused immediately', async () => {
  const send = (path: string, body: object) => gateway.call('POST', path, { body })
  expect(await send('/v1/responses', { model: 'm-openai-responses', input: [] })).toMatchObject({
    status: 400,
  })
  expect(await send(getPath['gemini-generate']('m-gemini-generate'), part())).toMatchObject({ status: 400 })
})
