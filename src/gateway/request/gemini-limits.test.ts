// Clients of Google's format at a provider of the same format: limits, retries and counts.
import { afterAll, expect, test } from 'vitest'
import type { TestHandler } from '../upstream/testing/test-upstream.ts'
import { ARRAY, STREAM, startGoogleProvider, GOOGLE_USAGE as usage } from './testing/google-provider.ts'

let handler: TestHandler = (exchange) => exchange.reply(500, {})
const { gateway, upstream, generate, close } = await startGoogleProvider((exchange) => handler(exchange))
afterAll(close)

test('a repeated Idempotency-Key gets the first answer, which is not billed again', async () => {
  handler = (exchange) =>
    exchange.reply(200, {
      candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
      usageMetadata: usage,
    })
  const send = () =>
    gateway.call('POST', '/v1beta/models/gemini-x:generateContent', {
      body: { contents: [{ parts: [{ text: 'Hi' }] }] },
      headers: { 'idempotency-key': 'once' },
    })
  const first = await send()
  const calls = upstream.requests.length
  const second = await send()
  expect(second.text).toBe(first.text)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(upstream.requests).toHaveLength(calls)
})

test('several candidates are several calls', async () => {
  handler = (exchange) =>
    exchange.reply(200, {
      candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
      usageMetadata: usage,
    })
  const { json } = await generate({
    contents: [{ parts: [{ text: 'Hi' }] }],
    generationConfig: { candidateCount: 2 },
  })
  expect(json.candidates).toHaveLength(2)
  expect(json.usageMetadata).toMatchObject({ promptTokenCount: 2000, cost: 0.0028 })
})

test('tokens are counted by Google for its models, and here if it cannot', async () => {
  const contents = [{ parts: [{ text: 'Hi' }] }]
  handler = (exchange) => exchange.reply(200, { totalTokens: 31, promptTokensDetails: [] })
  const count = (body: unknown) => generate(body, { action: 'countTokens' })
  expect((await count({ contents })).json).toEqual({ totalTokens: 31, promptTokensDetails: [] })
  expect(upstream.requests.at(-1)).toMatchObject({
    path: '/v1beta/models/gemini-x:countTokens',
    body: JSON.stringify({ contents }),
  })
  const whole =
    '{ "generateContentRequest": {"contents":[{"parts":[{"text":"Hi"}]}], "model":"models/other"} }'
  await count(whole)
  expect(upstream.requests.at(-1)?.body).toBe(whole.replace('models/other', 'models/gemini-x'))

  handler = (exchange) => exchange.reply(404, {})
  expect((await count({ contents })).json).toEqual({ totalTokens: expect.any(Number) })
  handler = (exchange) =>
    exchange.reply(400, { error: { code: 400, message: 'Bad.', status: 'INVALID_ARGUMENT' } })
  expect((await count({ contents })).json.error).toMatchObject({ code: 400, status: 'INVALID_ARGUMENT' })
  expect((await count({})).json.error).toMatchObject({
    code: 400,
    message: expect.stringContaining('contents'),
  })
  expect((await generate({ contents }, { action: 'countTokens', model: 'none' })).status).toBe(404)
})

test('a stream that reaches the cap of its key ends with 402 and the reason, in both framings', async () => {
  for (const how of [STREAM, ARRAY]) {
    const { id, secret } = await gateway.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 0.01 })
    handler = async (exchange) => {
      exchange.begin()
      const text = 'many words of text '.repeat(200)
      for (let nth = 0; nth < 100 && !exchange.response.destroyed; nth += 1) {
        exchange.data({ candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }] })
        await new Promise((resolve) => setImmediate(resolve))
      }
      exchange.end()
    }
    const { text } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] }, { ...how, as: secret })
    const elements =
      how === ARRAY
        ? JSON.parse(text)
        : text
            .split('\n\n')
            .filter((event) => event !== '')
            .map((event) => JSON.parse(event.slice('data: '.length)))
    expect(elements.length).toBeGreaterThan(1)
    expect(elements.length).toBeLessThan(100)
    expect(elements.at(-1)).toMatchObject({
      error: { code: 402, status: 'FAILED_PRECONDITION', message: expect.stringContaining('capped') },
    })
    const { json } = await gateway.call('GET', `/v1/keys/${id}`)
    expect(json.spendUsd).toBeGreaterThan(0)
  }
})
