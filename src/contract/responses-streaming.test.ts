import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { openaiFor } from './testing/openai-client.ts'
import { rule } from './testing/rule.ts'
import { postJson } from './testing/socket.ts'
import { shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Streaming')
const words = Array.from({ length: 20_000 }, () => testChunk({ content: 'word ' }))
await upstream.model('endless', (exchange) => void exchange.begin().data(...words), {
  maxOutputTokens: 100_000,
})
const mock = new LLMock({ port: 0 })
const usage = { input_tokens: 1000, output_tokens: 200, total_tokens: 1200 }
mock.onMessage(/.*/, { content: 'Hello.', usage })
await mock.start()
const native = { apiFormat: 'openai-responses' }
await tollgate.addProvider('mock', `${mock.url}/v1`, ['native'], native)
afterAll(() => mock.stop())

const listEvents = (text: string) =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
const stream = (model: string, secret = tollgate.admin) =>
  postJson(`${tollgate.baseUrl}/v1/responses`, secret, { model, input: 'Hi', stream: true })

test('A streamed response ends with the usage and its cost, which is also in the trailers', async () => {
  for (const model of ['sandbox-small', 'native']) {
    const { status, headers, trailers, text } = await stream(model)
    expect([status, headers['x-service-model']]).toEqual([200, model])
    const { type, response } = listEvents(text).at(-1)
    expect([type, response.status]).toEqual(['response.completed', 'completed'])
    const record = await tollgate.getRecord(headers['x-request-id'])
    expect(record).toMatchObject({ costStatus: 'exact', tokensIn: response.usage.input_tokens })
    expect(response.usage.cost).toBe(record.costUsd)
    expect(trailers['x-service-cost-usd']).toBe(record.costUsd.toFixed(6))
    expect(trailers['x-service-tokens-out']).toBe(String(response.usage.output_tokens))
  }
})

test('A streamed response that uses up the cap is cut: error and response.failed', async () => {
  const key = await tollgate.createKey({ name: 'tight', scope: 'full', spendLimitUsd: 0.003 })
  const events = listEvents((await stream('endless', key.secret)).text)
  expect(events.at(-2)).toMatchObject({
    type: 'error',
    code: 'spend_limit_reached',
    error: { type: 'insufficient_quota' },
  })
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', error: { code: 'insufficient_quota' } },
  })
  expect((await tollgate.getKey(key.id)).reservedUsd).toBe(0)
  expect((await stream('endless', key.secret)).status).toBe(402)
})

rule(
  'Client libraries',
  'openai: responses of a provider of the same format, with the cost in their usage',
  async () => {
    const client = openaiFor(tollgate)()
    const { data, request_id } = await client.responses
      .create({ model: 'native', input: 'Hi' })
      .withResponse()
    expect(data.output_text).toBe('Hello.')
    const { costUsd } = await tollgate.getRecord(request_id)
    expect(data.usage).toMatchObject({ input_tokens: 1000, cost: costUsd })
    expect(costUsd).toBe(0.0014)
    const final = await client.responses.stream({ model: 'native', input: 'Hi' }).finalResponse()
    expect([final.output_text, final.usage]).toEqual(['Hello.', data.usage])
  },
)
