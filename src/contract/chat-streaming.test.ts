import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { readData } from '../gateway/testing/gateway.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { postChat } from './testing/socket.ts'
import { says, startScriptedUpstream } from './testing/upstream.ts'

const tollgate = await startProgram()
const upstream = await startScriptedUpstream(tollgate)
const mock = new LLMock({ port: 0 })
mock.onMessage('capital', { content: 'Paris is the capital.' })
mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Rome"}' }] })
await mock.start()
await tollgate.addProvider('mock', `${mock.url}/v1`, ['gpt-4o'])
afterAll(async () => {
  await tollgate.close()
  await upstream.close()
  await mock.stop()
})

const capital = [{ role: 'user', content: 'What is the capital of France?' }]
const stream = (body: object) =>
  postChat(tollgate.baseUrl, tollgate.admin, { stream: true, messages: capital, ...body })
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

rule(
  'Streaming',
  'With stream true, tokens come as server-sent events: data lines with a JSON chunk each',
  async () => {
    for (const model of ['sandbox-small', 'gpt-4o']) {
      const { status, headers, text } = await stream({ model })
      expect(status).toBe(200)
      expect(headers['content-type']).toMatch(/^text\/event-stream/)
      for (const event of text.split('\n\n').filter(Boolean))
        expect(event).toMatch(/^data: (\{.*\}|\[DONE\])$/)
    }
  },
)

rule(
  'Streaming',
  'Chunks are OpenAI’s: role first, deltas, a finish chunk, [DONE]; one id and model throughout',
  async () => {
    for (const model of ['sandbox-small', 'gpt-4o']) {
      const events = readData((await stream({ model })).text)
      expect(events.pop()).toBe('[DONE]')
      expect(events[0].choices[0].delta.role).toBe('assistant')
      expect(events.at(-1).choices[0]).toMatchObject({ index: 0, finish_reason: 'stop' })
      expect(events.every((chunk) => chunk.object === 'chat.completion.chunk' && chunk.model === model)).toBe(
        true,
      )
      expect(new Set(events.map(({ id }) => id)).size).toBe(1)
      expect(events.filter((chunk) => chunk.choices[0].finish_reason !== null)).toHaveLength(1)
    }
  },
)

rule('Streaming', 'Tool calls are streamed as deltas with index, id and name first', async () => {
  for (const model of ['sandbox-small', 'gpt-4o']) {
    const events = readData(
      (
        await stream({
          model,
          tools,
          messages: [{ role: 'user', content: 'weather in Rome [[sandbox:tool get_weather]]' }],
        })
      ).text,
    )
    const deltas = events.flatMap((chunk) => chunk.choices?.[0]?.delta.tool_calls ?? [])
    expect(deltas[0]).toMatchObject({
      index: 0,
      id: expect.any(String),
      type: 'function',
      function: { name: 'get_weather' },
    })
    expect(deltas.every(({ index }) => index === 0)).toBe(true)
    expect(JSON.parse(deltas.map((delta) => delta.function?.arguments ?? '').join(''))).toBeTypeOf('object')
    expect(events.at(-2).choices[0].finish_reason).toBe('tool_calls')
  }
})

rule('Streaming', 'A missing role, finish reason or id is added to a stream', async () => {
  await upstream.model('sloppy', (exchange) => {
    exchange
      .begin()
      .data({ choices: [{ index: 0, delta: { content: 'Hi' } }] })
      .data({
        choices: [
          { index: 0, delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] } },
        ],
      })
      .data('[DONE]')
      .end()
  })
  const events = readData((await stream({ model: 'sloppy' })).text)
  expect(events[0].choices[0].delta).toEqual({ content: 'Hi', role: 'assistant' })
  expect(events[1].choices[0].delta.tool_calls[0]).toMatchObject({
    id: expect.stringMatching(/./),
    type: 'function',
  })
  expect(events[2].choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' })
  expect(events[3]).toBe('[DONE]')
})

rule(
  'Streaming',
  'X-Service-Model is a header; the other three are trailers, declared in Trailer',
  async () => {
    const { headers, trailers } = await stream({ model: 'sandbox-small' })
    expect(headers['x-service-model']).toBe('sandbox-small')
    expect(headers.trailer).toBe('X-Service-Tokens-In, X-Service-Tokens-Out, X-Service-Cost-Usd')
    const plain = await tollgate.chat({ messages: capital })
    for (const name of ['x-service-tokens-in', 'x-service-tokens-out', 'x-service-cost-usd']) {
      expect(trailers[name]).toBe(plain.headers.get(name))
    }
  },
)

rule(
  'Streaming',
  'With include_usage, a last chunk with choices [] has the usage and usage.cost',
  async () => {
    const plain = await tollgate.chat({ messages: capital })
    const events = readData(
      (await stream({ model: 'sandbox-small', stream_options: { include_usage: true } })).text,
    )
    expect(events.at(-1)).toBe('[DONE]')
    expect(events.at(-2)).toMatchObject({ choices: [], usage: plain.json.usage })
    expect(events.at(-2).usage.cost).toBeGreaterThan(0)
  },
)

rule(
  'Streaming',
  'Usage is always requested from the upstream, and removed if the client did not request it',
  async () => {
    await upstream.model('counts', says('Hello there'))
    const { text, trailers } = await stream({ model: 'counts' })
    expect(upstream.calls('counts')[0]?.json().stream_options).toEqual({ include_usage: true })
    expect(readData(text).filter((event) => event.usage || event.choices?.length === 0)).toEqual([])
    expect(trailers['x-service-tokens-in']).toBe('5')
  },
)

rule('Streaming', 'A plain JSON answer to a streaming request is converted to a stream', async () => {
  await upstream.model('plain-only', (exchange) =>
    exchange.reply(200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }],
    }),
  )
  const events = readData((await stream({ model: 'plain-only' })).text)
  expect(events.map((event) => event.choices?.[0]?.delta.content ?? '').join('')).toBe('All at once')
  expect(events.at(-1)).toBe('[DONE]')
})
