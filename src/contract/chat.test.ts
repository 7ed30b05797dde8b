import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Chat answers')
const mock = new LLMock({ port: 0 })
mock.onMessage('capital', { content: 'Paris.' })
await mock.start()
await tollgate.addProvider('mock', `${mock.url}/v1`, ['gpt-4o'])
afterAll(() => mock.stop())

const ask = (content: string) => [{ role: 'user', content }]
const weather = { type: 'function', function: { name: 'get_weather' } }

test('A response has id, object chat.completion, created, model, choices and usage', async () => {
  for (const model of ['sandbox-small', 'gpt-4o']) {
    const { status, json } = await tollgate.chat({ model, messages: ask('What is the capital of France?') })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      id: expect.any(String),
      object: 'chat.completion',
      created: expect.any(Number),
      model,
      choices: [
        { index: 0, message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' },
      ],
    })
    const { prompt_tokens, completion_tokens, total_tokens } = json.usage
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
    expect(Math.abs(Date.now() / 1000 - json.created)).toBeLessThan(10 ** 9)
  }
})

test('id is the unique request id of the record', async () => {
  const answers = [await tollgate.chat({}), await tollgate.chat({})]
  expect(new Set(answers.map(({ json }) => json.id)).size).toBe(2)
  for (const { json, headers } of answers) {
    expect(json.id).toBe(headers.get('x-service-request-id'))
    expect((await tollgate.getRecord(json.id)).id).toBe(json.id)
  }
})

test('finish_reason is stop, length, tool_calls or content_filter', async () => {
  const reason = async (body: Record<string, unknown>) =>
    (await tollgate.chat(body)).json.choices[0].finish_reason
  expect(await reason({})).toBe('stop')
  expect(await reason({ max_tokens: 2 })).toBe('length')
  expect(await reason({ messages: ask('[[sandbox:tool get_weather]]'), tools: [weather] })).toBe('tool_calls')
  expect(await reason({ messages: ask('[[sandbox:filter]]') })).toBe('content_filter')
})

test('A completion has the four X-Service headers, the cost with 6 decimals', async () => {
  const { headers, json } = await tollgate.chat({ model: 'sandbox-large' })
  expect(headers.get('x-service-tokens-in')).toBe(String(json.usage.prompt_tokens))
  expect(headers.get('x-service-tokens-out')).toBe(String(json.usage.completion_tokens))
  expect(headers.get('x-service-model')).toBe('sandbox-large')
  const cost = (json.usage.prompt_tokens * 3 + json.usage.completion_tokens * 15) / 1e6
  expect(headers.get('x-service-cost-usd')).toBe(cost.toFixed(6))
})

test('usage of a plain response has usage.cost, and GET /v1/requests/{id} gives it all', async () => {
  const { json } = await tollgate.chat({})
  const record = await tollgate.getRecord(json.id)
  expect(record).toMatchObject({
    costUsd: json.usage.cost,
    tokensIn: json.usage.prompt_tokens,
    tokensOut: json.usage.completion_tokens,
    model: 'sandbox-small',
  })
})

test('The upstream receives the provider’s credential and none of the caller’s headers', async () => {
  await upstream.model('headers', says('hi'))
  await tollgate.chat(
    { model: 'headers' },
    { headers: { cookie: 'a=b', 'x-api-key': tollgate.admin, 'x-mine': '1' } },
  )
  const headers = upstream.calls('headers')[0]?.headers ?? {}
  expect(headers.authorization).toBe('Bearer secret-of-acme')
  expect(headers).not.toHaveProperty('cookie')
  expect(headers).not.toHaveProperty('x-api-key')
  expect(headers).not.toHaveProperty('x-mine')
})
