import { once } from 'node:events'
import { connect } from 'node:net'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { readData } from '../gateway/testing/gateway.ts'
import { postChat } from './testing/socket.ts'
import { breaks, says, shareForFile } from './testing/upstream.ts'

const { test, tollgate, upstream } = await shareForFile('Streaming')

const mock = new LLMock({ port: 0 })
mock.onMessage('capital', { content: 'Paris is the capital.' })
mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Rome"}' }] })
await mock.start()
await tollgate.addProvider('mock', `${mock.url}/v1`, ['gpt-4o'])
afterAll(() => mock.stop())
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

test('With stream true, tokens come as server-sent events: data lines with a JSON chunk each', async () => {
  for (const model of ['sandbox-small', 'gpt-4o']) {
    const { status, headers, text } = await stream({ model })
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/event-stream/)
    for (const event of text.split('\n\n').filter(Boolean)) expect(event).toMatch(/^data: (\{.*\}|\[DONE\])$/)
  }
})

test('Chunks are OpenAI’s: role first, deltas, a finish chunk, [DONE]; one id and model throughout', async () => {
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
})

test('Tool calls are streamed as deltas with index, id and name first', async () => {
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

test('X-Service-Model is a header; the other three are trailers, declared in Trailer', async () => {
  const { headers, trailers } = await stream({ model: 'sandbox-small' })
  expect(headers['x-service-model']).toBe('sandbox-small')
  expect(headers.trailer).toBe('X-Service-Tokens-In, X-Service-Tokens-Out, X-Service-Cost-Usd')
  const plain = await tollgate.chat({ messages: capital })
  for (const name of ['x-service-tokens-in', 'x-service-tokens-out', 'x-service-cost-usd']) {
    expect(trailers[name]).toBe(plain.headers.get(name))
  }
})

test('With include_usage, a last chunk with choices [] has the usage and usage.cost', async () => {
  const plain = await tollgate.chat({ messages: capital })
  const events = readData(
    (await stream({ model: 'sandbox-small', stream_options: { include_usage: true } })).text,
  )
  expect(events.at(-1)).toBe('[DONE]')
  expect(events.at(-2)).toMatchObject({ choices: [], usage: plain.json.usage })
  expect(events.at(-2).usage.cost).toBeGreaterThan(0)
})

test('Usage is always requested from the upstream, and removed if the client did not request it', async () => {
  await upstream.model('counts', says('Hello there'))
  const { text, trailers } = await stream({ model: 'counts' })
  expect(upstream.calls('counts')[0]?.json().stream_options).toEqual({ include_usage: true })
  expect(readData(text).filter((event) => event.usage || event.choices?.length === 0)).toEqual([])
  expect(trailers['x-service-tokens-in']).toBe('5')
})

test('An error in a stream is a final chunk { error: { type, message } }, then the connection closes', async () => {
  await upstream.model('breaks', breaks)
  const { host, port } = new URL(tollgate.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  const body = JSON.stringify({ model: 'breaks', stream: true, messages: capital })
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  // Keep-alive is requested, so that the service closes the connection.
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tollgate.admin}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await once(socket, 'end')
  socket.end()
  expect(text).toContain('Half')
  expect(text).toContain('data: {"error":{"type":"upstream_error","message":"it broke"}}\n\n')
  expect(text).not.toContain('[DONE]')
})
