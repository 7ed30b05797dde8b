import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { testSection } from './testing/rule.ts'
import { says, shareForFile } from './testing/upstream.ts'

const test = testSection('Chat answers')

const { tollgate, upstream } = await shareForFile()
const mock = new LLMock({ port: 0 })
mock.onMessage('capital', { content: 'Paris.' })
mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Rome"}' }] })
await mock.start()
await tollgate.addProvider('mock', `${mock.url}/v1`, ['gpt-4o'])
afterAll(() => mock.stop())

const ask = (content: string) => [{ role: 'user', content }]
const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

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

test('When the model calls a tool, message.tool_calls is set', async () => {
  for (const model of ['sandbox-small', 'gpt-4o']) {
    const { json } = await tollgate.chat({
      model,
      messages: ask('What is the weather in Rome? [[sandbox:tool get_weather]]'),
      tools: [weather],
    })
    const [call] = json.choices[0].message.tool_calls
    expect(call).toMatchObject({
      id: expect.any(String),
      type: 'function',
      function: { name: 'get_weather' },
    })
    expect(JSON.parse(call.function.arguments)).toHaveProperty('city')
  }
})

test('tool_choice none calls no tool; required calls one', async () => {
  const choose = async (tool_choice: string) =>
    (await tollgate.chat({ messages: ask('[[sandbox:tool get_weather]]'), tools: [weather], tool_choice }))
      .json.choices[0]
  expect((await choose('none')).message.tool_calls).toBeUndefined()
  expect((await choose('required')).message.tool_calls).toHaveLength(1)
})

test('response_format json_object forces JSON output', async () => {
  const { json } = await tollgate.chat({
    messages: ask('Name three colors'),
    response_format: { type: 'json_object' },
  })
  expect(typeof JSON.parse(json.choices[0].message.content)).toBe('object')
})

test('seed: the same request gives the same answer', async () => {
  const say = async () =>
    (await tollgate.chat({ seed: 7, messages: ask('Tell me something') })).json.choices[0].message
  expect(await say()).toEqual(await say())
})

test('stop: the answer ends before the first stop sequence', async () => {
  const { json } = await tollgate.chat({
    messages: ask('[[sandbox:echo one two three]]'),
    stop: [' three', ' two'],
  })
  expect(json.choices[0].message.content).toBe('one')
})

test('max_tokens caps the output', async () => {
  const { json } = await tollgate.chat({ messages: ask('[[sandbox:tokens 50]]'), max_tokens: 7 })
  expect(json.usage.completion_tokens).toBe(7)
})

test('n is 1 by default, and gives that many choices', async () => {
  expect((await tollgate.chat({})).json.choices).toHaveLength(1)
  const { json } = await tollgate.chat({ n: 3 })
  expect(json.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2])
})

test('If an upstream does not support n, the gateway makes n calls, merges the answers and sums their usage', async () => {
  await tollgate.call('PUT', '/v1/providers/groq', {
    body: { baseUrl: upstream.url, credential: 'secret-of-groq' },
  })
  await upstream.model('no-n', says('one of them'), { provider: 'groq' })
  const plain = await tollgate.chat({ model: 'no-n', n: 3 })
  expect(plain.json.choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2])
  expect(plain.json.usage).toMatchObject({ prompt_tokens: 15, completion_tokens: 9, total_tokens: 24 })
  expect(upstream.calls('no-n')).toHaveLength(3)
  expect(upstream.calls('no-n').every((call) => !('n' in call.json()))).toBe(true)
  const streamed = await tollgate.chat({ model: 'no-n', n: 2, stream: true })
  for (const index of [0, 1])
    expect(streamed.text).toContain(`"index":${index},"delta":{"content":"one of them"}`)
  expect(streamed.text.trimEnd()).toMatch(/data: \[DONE\]$/)
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
