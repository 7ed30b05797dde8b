import { once } from 'node:events'
import { connect } from 'node:net'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { readData } from '../gateway/testing/gateway.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { testSection } from './testing/rule.ts'
import { postChat } from './testing/socket.ts'
import { breaks, says, shareForFile } from './testing/upstream.ts'

const test = testSection('Streaming')

const { tollgate, upstream } = await shareForFile()

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

test('A missing role, finish reason or id is added to a stream', async () => {
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

test('A plain JSON answer to a streaming request is converted to a stream', async () => {
  await upstream.model('plain-only', (exchange) =>
    exchange.reply(200, {
      choices: [{ index: 0, message: { role: 'assistant', content: 'All at once' }, finish_reason: 'stop' }],
    }),
  )
  const events = readData((await stream({ model: 'plain-only' })).text)
  expect(events.map((event) => event.choices?.[0]?.delta.content ?? '').join('')).toBe('All at once')
  expect(events.at(-1)).toBe('[DONE]')
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

const endings: Record<string, (exchange: Parameters<Parameters<typeof upstream.model>[1]>[0]) => void> = {
  'a clean end without [DONE]': (exchange) => exchange.end(),
  'a reset connection': (exchange) => exchange.reset(),
  'a chunk that is not JSON': (exchange) => exchange.data('{nonsense').end(),
  'an event named error': (exchange) => exchange.raw('event: error\ndata: {"message":"no"}\n\n').end(),
}

for (const [what, end] of Object.entries(endings)) {
  test(`A failed stream ends with an error chunk and without [DONE]: ${what}`, async () => {
    const model = what.replaceAll(/[^a-z]+/gi, '-').toLowerCase()
    const answered = Promise.withResolvers<void>()
    await upstream.model(model, async (exchange) => {
      exchange.begin().data(testChunk({ role: 'assistant', content: 'Half' }))
      await answered.promise
      end(exchange)
    })
    const response = await tollgate.openStream({ model, messages: capital })
    answered.resolve()
    expect(response.status).toBe(200)
    const events = readData(await response.text())
    expect(events.at(-1)).toMatchObject({ error: { type: 'upstream_error', message: expect.any(String) } })
    expect(events).not.toContain('[DONE]')
    const record = await tollgate.getRecord(response.headers.get('x-service-request-id'))
    expect(record.status).toBe('failed')
    expect(record.costUsd).toBeGreaterThan(0)
  })
}

test('A stream that stalls ends with an error chunk; comments do not count as progress', async () => {
  await tollgate.call('PUT', '/v1/providers/stalls', {
    body: { apiFormat: 'openai-chat', baseUrl: upstream.url, stallTimeoutMs: 60 },
  })
  let comments: NodeJS.Timeout | undefined
  await upstream.model(
    'stalls',
    (exchange) => {
      exchange.begin().data(testChunk({ role: 'assistant', content: 'Half' }))
      comments = setInterval(() => exchange.raw(': still here\n\n'), 10)
      void exchange.disconnected.then(() => clearInterval(comments))
    },
    { provider: 'stalls' },
  )
  const { text } = await stream({ model: 'stalls' })
  expect(readData(text).at(-1)).toMatchObject({ error: { type: 'upstream_error' } })
})

test('A failure before the first chunk is an HTTP status, not a stream', async () => {
  await upstream.model('refuses', (exchange) =>
    exchange.reply(422, { error: { message: 'too odd', param: 'messages' } }),
  )
  const { status, headers, text } = await stream({ model: 'refuses' })
  expect(status).toBe(400)
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(JSON.parse(text).error).toMatchObject({
    type: 'invalid_request_error',
    message: 'too odd',
    param: 'messages',
  })
})

test('The upstream call is aborted when the client disconnects, plain or streamed', async () => {
  for (const streams of [true, false]) {
    const gone = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const model = `hung-up-${streams}`
    await upstream.model(model, (exchange) => {
      if (streams) exchange.begin().data(testChunk({ role: 'assistant', content: 'some words' }))
      void exchange.disconnected.then(() => gone.resolve())
      asked.resolve()
    })
    const left = new AbortController()
    const call = tollgate.chat({ model, stream: streams }, { signal: left.signal }).catch(() => 'left')
    await asked.promise
    left.abort()
    await gone.promise
    expect(await call).toBe('left')
  }
})
