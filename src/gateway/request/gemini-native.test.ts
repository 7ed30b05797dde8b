// Clients of Google's format at providers of the same format: requests and answers keep their bytes.
import type { Part } from '@google/genai'
import { afterAll, describe, expect, test } from 'vitest'
import type { TestHandler } from '../upstream/testing/test-upstream.ts'
import { ARRAY, STREAM, startGoogleProvider, GOOGLE_USAGE as usage } from './testing/google-provider.ts'

let handler: TestHandler = (exchange) => exchange.reply(500, {})
const { gateway, upstream, generate, close } = await startGoogleProvider((exchange) => handler(exchange))
afterAll(close)

/** A part of every kind in the types of Google's SDK. */
const parts: readonly Part[] = [
  { text: 'Grüße 東京 🚆 \u2028', thoughtSignature: 'c2ln' },
  { text: 'Hm', thought: true },
  { inlineData: { mimeType: 'image/png', data: 'AAAA', displayName: 'a' } },
  { fileData: { fileUri: 'gs://a/b', mimeType: 'video/mp4' }, videoMetadata: { fps: 1, startOffset: '1s' } },
  { functionCall: { id: 'a', name: 'f', args: { n: 1 } }, thoughtSignature: 'c2ln' },
  {
    functionResponse: {
      id: 'a',
      name: 'f',
      response: { output: 1 },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
    },
  },
  { executableCode: { code: '1+1', id: 'e' } },
  { codeExecutionResult: { output: '2' } },
  { toolCall: { id: 't', args: {} } },
  { toolResponse: { id: 't', response: {} } },
  { text: 'x', mediaResolution: {}, partMetadata: { a_b: [1] }, speechMetadata: {} },
]
/** A JSON text with white space, an order and digits that no serializer would write. */
const odd = (members: string) =>
  `{ "contents" :\n[{"role":"user","parts":[{"text":"Hi"}]}],\t${members} "n_1": 1.50e+0, "big": 12345678901234567890 }`

describe('a request', () => {
  test('has the client’s bytes, and no header or query of it', async () => {
    handler = (exchange) =>
      exchange.reply(200, { candidates: [{ content: {}, finishReason: 'STOP' }], usageMetadata: usage })
    const bodies = [
      odd(''),
      odd('"safety_settings":[{"category":"x"}],"cachedContent":"cachedContents/1","labels":{},'),
      JSON.stringify({
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts },
        ],
      }),
    ]
    for (const body of bodies) {
      const { status, text } = await gateway.call(
        'POST',
        '/v1/models/vendor/x:free:generateContent?quotaUser=1',
        {
          as: '',
          body,
          headers: { 'x-goog-api-key': gateway.admin, 'x-goog-api-client': 'genai-js/1' },
        },
      )
      expect([status, text]).toEqual([200, expect.anything()])
      const sent = upstream.requests.at(-1)
      expect(sent?.body).toBe(body)
      expect(sent?.path).toBe('/v1beta/vendor/x%3Afree:generateContent')
      expect(sent?.headers).toMatchObject({ 'x-goog-api-key': 'secret-of-google' })
      expect(sent?.headers).not.toHaveProperty('x-goog-api-client')
    }
  })

  test('gets an output limit where a cap needs one and it has none', async () => {
    const { secret } = await gateway.createKey({ name: 'capped', scope: 'full', spendLimitUsd: 1 })
    await gateway.call('PUT', '/v1/models/unlimited', {
      body: { provider: 'google', pricing: { inputPerMillion: 1, outputPerMillion: 2 } },
    })
    const send = async (body: string) => {
      await generate(body, { model: 'unlimited', as: secret })
      return upstream.requests.at(-1)?.body ?? ''
    }
    const snake = odd('"generation_config":{ "top_k":3 },')
    expect(await send(snake)).toMatch(/"generation_config":\{ "top_k":3,"maxOutputTokens":\d+ \},/)
    expect(await send(odd(''))).toMatch(/890,"generationConfig":\{"maxOutputTokens":\d+\} \}$/)
    const limited = odd('"generationConfig":{"max_output_tokens":7},')
    expect(await send(limited)).toBe(limited)
  })
})

describe('an answer', () => {
  const plain = `{\n  "candidates": [{"content":{"role":"model","parts":${JSON.stringify(parts)}},"finishReason":"STOP","avgLogprobs":-0.10}],
  "usageMetadata": ${JSON.stringify(usage)},\n  "modelVersion": "gemini-x-001", "responseId":"r1" }\n`

  test('in one piece keeps its bytes, but for the cost in its usage', async () => {
    handler = (exchange) => exchange.reply(200, plain)
    const { text, headers } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] })
    expect(text).toBe(plain.replace('"thoughtsTokenCount":50', '"thoughtsTokenCount":50,"cost":0.0014'))
    expect(headers.get('x-service-cost-usd')).toBe('0.001400')
    expect(headers.get('x-service-model')).toBe('gemini-x')
  })

  const events = [
    {
      candidates: [{ content: { role: 'model', parts: parts.slice(0, 4) }, index: 0 }],
      usageMetadata: { promptTokenCount: 1000 },
    },
    {
      candidates: [{ content: { role: 'model', parts: parts.slice(4) }, finishReason: 'STOP', index: 0 }],
      usageMetadata: usage,
    },
    // Sometimes more follows.
    {
      candidates: [{ content: { role: 'model', parts: [{ text: ' late' }] }, index: 0 }],
      usageMetadata: usage,
    },
  ].map((event) => JSON.stringify(event).replace('"index"', ' "index"'))
  const priced = events.map((event, at) => (at === 2 ? event.replace(':50}', ':50,"cost":0.0014}') : event))
  const streams: TestHandler = (exchange) => {
    exchange.begin()
    for (const event of events) exchange.raw(`data: ${event}\r\n\r\n`)
    exchange.end()
  }

  test('as a stream keeps its events, but for the cost in the last one', async () => {
    handler = streams
    const { text, headers } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] }, STREAM)
    expect(upstream.requests.at(-1)?.path).toBe('/v1beta/models/gemini-x:streamGenerateContent?alt=sse')
    expect(headers.get('content-type')).toContain('text/event-stream')
    expect(text).toBe(priced.map((event) => `data: ${event}\n\n`).join(''))
  })

  test('as a stream without alt=sse is the same events in one JSON array', async () => {
    handler = streams
    const { text, headers } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] }, ARRAY)
    expect(headers.get('content-type')).toContain('application/json')
    expect(text).toBe(`[${priced.join(',\n')}\n]\n`)
  })

  test('that is blocked is passed on, and recorded', async () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 1000 } }
    handler = (exchange) => exchange.begin().data(blocked).end()
    const { text } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] }, STREAM)
    expect(JSON.parse(text.slice('data: '.length))).toEqual({
      ...blocked,
      usageMetadata: { promptTokenCount: 1000, cost: 0.001 },
    })
    const [record] = await gateway.records()
    expect(record).toMatchObject({ status: 'succeeded', model: 'gemini-x', stream: true })
  })

  test('that breaks ends with an error in both framings', async () => {
    handler = (exchange) => exchange.begin().raw(`data: ${events[0]}\r\n\r\n`).end()
    for (const how of [STREAM, ARRAY]) {
      const { text } = await generate({ contents: [{ parts: [{ text: 'Hi' }] }] }, how)
      const all =
        how === ARRAY
          ? JSON.parse(text)
          : text
              .split('\n\n')
              .slice(0, 2)
              .map((each) => JSON.parse(each.slice(6)))
      expect(all).toEqual([
        JSON.parse(events[0] ?? ''),
        { error: expect.objectContaining({ code: 502, status: 'UNAVAILABLE' }) },
      ])
    }
  })
})
