// A finish reason, or a report of usage, is an answer: one call, charged once by the provider's count.

import { expect, test } from 'vitest'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { forFile } from '../testing/lifetime.ts'
import { startTestUpstream, type TestHandler } from '../upstream/testing/test-upstream.ts'

const gateway = await forFile(startTestGateway())
const upstream = await forFile(startTestUpstream())

for (const apiFormat of API_FORMATS)
  await gateway.addProvider(apiFormat, upstream.url, [`m-${apiFormat}`], { apiFormat })

/** 20 tokens of prompt at 1 USD and 500 of reasoning at 2 USD per million. */
const BILL_USD = 0.00102

const geminiUsage = { promptTokenCount: 20, thoughtsTokenCount: 500 }
const stream =
  (...events: object[]): TestHandler =>
  (exchange) =>
    exchange
      .begin()
      .data(...events)
      .end()

const messages = [{ role: 'user', content: 'Hi' }]
const CLIENTS: [string, (model: string) => [path: string, body: object], stop: RegExp][] = [
  [
    'chat',
    (model) => ['/v1/chat/completions', { model, messages, stream: true }],
    /"finish_reason":"length"/,
  ],
  ['Responses', (model) => ['/v1/responses', { model, input: 'Hi', stream: true }], /max_output_tokens/],
  [
    'Messages',
    (model) => ['/v1/messages', { model, messages, max_tokens: 1_000, stream: true }],
    /"stop_reason":"max_tokens"/,
  ],
  [
    'Gemini',
    (model) => [
      `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      { contents: [{ parts: [{ text: 'Hi' }] }] },
    ],
    /"finishReason":"MAX_TOKENS"/,
  ],
]

async function callOnce(handler: TestHandler, path: string, body: object) {
  upstream.handler = handler
  const before = upstream.requests.length
  const answer = await gateway.call('POST', path, { body })
  const [record] = await gateway.records()
  return { ...answer, record, calls: upstream.requests.length - before }
}

test.each(CLIENTS)(
  '%s: a stream of Gemini whose thinking has used the limit up',
  async (_, request, stop) => {
    const handler = stream({
      candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }],
      usageMetadata: geminiUsage,
    })
    const { status, text, record, calls } = await callOnce(handler, ...request('m-gemini-generate'))
    expect([status, calls]).toEqual([200, 1])
    expect(text).toMatch(stop)
    expect(record).toMatchObject({ status: 'succeeded', costStatus: 'exact', costUsd: BILL_USD })
  },
)

test.each(['SAFETY', 'STOP'])(
  'a stream of Gemini that ends with %s and nothing else',
  async (finishReason) => {
    const handler = stream({ candidates: [{ finishReason, index: 0 }], usageMetadata: geminiUsage })
    const [, request] = CLIENTS[0] ?? []
    const { status, record, calls } = await callOnce(handler, ...(request?.('m-gemini-generate') ?? ['', {}]))
    expect([status, calls, record?.costUsd]).toEqual([200, 1, BILL_USD])
  },
)

const EMPTY: Record<ApiFormat, object> = {
  'openai-chat': {
    id: 'a',
    choices: [],
    usage: { prompt_tokens: 20, completion_tokens: 500, total_tokens: 520 },
  },
  'openai-responses': { id: 'a', status: 'completed', usage: { input_tokens: 20, output_tokens: 500 } },
  'anthropic-messages': { id: 'a', type: 'message', usage: { input_tokens: 20, output_tokens: 500 } },
  'gemini-generate': { candidates: [], usageMetadata: geminiUsage },
  'bedrock-converse': { output: {}, usage: { inputTokens: 20, outputTokens: 500, totalTokens: 520 } },
}

test.each(API_FORMATS)('an answer of %s with a report and nothing else is billed once', async (format) => {
  const body = { model: `m-${format}`, messages }
  const { status, json, record, calls } = await callOnce(
    (exchange) => exchange.reply(200, EMPTY[format]),
    '/v1/chat/completions',
    body,
  )
  expect([status, json.error.type, calls]).toEqual([502, 'upstream_error', 1])
  expect(record).toMatchObject({ status: 'failed', costStatus: 'exact', costUsd: BILL_USD })
  expect(record?.heldUsd ?? null).toBeNull()
})

test('a stream of chunks without choices, but with a report, is billed once', async () => {
  const { usage } = EMPTY['openai-chat'] as { usage: object }
  const handler: TestHandler = (exchange) =>
    exchange.begin().data({ id: 'a', choices: [], usage }, '[DONE]').end()
  const body = { model: 'm-openai-chat', messages, stream: true }
  const { status, record, calls } = await callOnce(handler, '/v1/chat/completions', body)
  expect([status, calls]).toEqual([502, 1])
  expect(record).toMatchObject({ costStatus: 'exact', costUsd: BILL_USD })
})

test('an answer without a report and without content is still tried again', async () => {
  const { calls } = await callOnce(
    (exchange) => exchange.reply(200, { choices: [] }),
    '/v1/chat/completions',
    {
      model: 'm-openai-chat',
      messages,
    },
  )
  expect(calls).toBe(3)
})
