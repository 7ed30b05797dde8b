// A server of which nothing is known gets the output limit under one name, and once more under the other one if it rejects that.

import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, testChunk, testCompletion } from '../upstream/testing/test-upstream.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())

type Name = 'max_tokens' | 'max_completion_tokens'
const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }

/** Rejects a name as OpenAI does, and both at the same time. */
function accepts(...names: Name[]): void {
  upstream.handler = (exchange) => {
    const { stream, ...body } = exchange.request.json()
    const given = ['max_tokens', 'max_completion_tokens'].filter((name) => name in body)
    const wrong = given.find((name) => !names.some((each) => each === name))
    if (given.length > 1 || wrong) {
      const message =
        given.length > 1
          ? "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
          : `Unsupported parameter: '${wrong}' is not supported with this model.`
      exchange.reply(400, { error: { message, type: 'invalid_request_error' } })
    } else if (stream === true)
      exchange
        .begin()
        .data(testChunk({ content: 'Hi' }, 'stop'), { ...testChunk({}), choices: [], usage }, '[DONE]')
        .end()
    else exchange.reply(200, { ...testCompletion('Hi'), usage })
  }
}

let model = ''
let count = 0
beforeEach(async () => {
  count += 1
  model = `deployment-${count}`
  await gateway.addProvider('relay', upstream.url, [model])
  upstream.requests.length = 0
})

const messages = [{ role: 'user', content: 'Hi' }]
const REQUESTS: [string, () => [path: string, body: object]][] = [
  ['chat', () => ['/v1/chat/completions', { model, messages, max_completion_tokens: 50 }]],
  ['a chat with the older name', () => ['/v1/chat/completions', { model, messages, max_tokens: 50 }]],
  ['a stream', () => ['/v1/chat/completions', { model, messages, max_tokens: 50, stream: true }]],
  ['Responses', () => ['/v1/responses', { model, input: 'Hi', max_output_tokens: 50 }]],
  ['Messages', () => ['/v1/messages', { model, messages, max_tokens: 50 }]],
  [
    'Gemini',
    () => [
      `/v1beta/models/${model}:generateContent`,
      { contents: [{ parts: [{ text: 'Hi' }] }], generationConfig: { maxOutputTokens: 50 } },
    ],
  ],
]

const limits = () =>
  upstream.requests.map((request) => {
    const { max_tokens: older, max_completion_tokens: newer } = request.json()
    return { older, newer }
  })

test.each(REQUESTS)('%s: one name is sent', async (_, request) => {
  accepts('max_tokens')
  const [path, body] = request()
  expect((await gateway.call('POST', path, { body })).status).toBe(200)
  expect(limits()).toEqual([{ older: 50 }])
})

test.each(REQUESTS)('%s: the other name follows a rejection, and is remembered', async (_, request) => {
  accepts('max_completion_tokens')
  const [path, body] = request()
  expect((await gateway.call('POST', path, { body })).status).toBe(200)
  expect((await gateway.call('POST', path, { body })).status).toBe(200)
  expect(limits()).toEqual([{ older: 50 }, { newer: 50 }, { newer: 50 }])
  const [again, first] = await gateway.records()
  expect(first?.attempts?.map(({ status }) => status)).toEqual([400, 200])
  for (const record of [first, again])
    expect(record).toMatchObject({ status: 'succeeded', costUsd: 0.000011, costStatus: 'exact' })
})

test('a limit that is too large is rejected after both names, and nothing is remembered', async () => {
  accepts()
  const body = { model, messages, max_tokens: 50 }
  const refused = await gateway.chat(body)
  expect([refused.status, refused.json.error.type]).toEqual([400, 'invalid_request_error'])
  accepts('max_tokens')
  expect((await gateway.chat(body)).status).toBe(200)
  expect(limits()).toEqual([{ older: 50 }, { newer: 50 }, { older: 50 }])
})

test('another rejection is not repeated', async () => {
  upstream.handler = (exchange) => exchange.reply(400, { error: { message: 'The prompt is too long.' } })
  expect((await gateway.chat({ model, messages, max_tokens: 50 })).status).toBe(400)
  expect(upstream.requests).toHaveLength(1)
})
