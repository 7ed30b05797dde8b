import { once } from 'node:events'
import { connect } from 'node:net'
import { LLMock } from '@copilotkit/aimock'
import { afterAll, expect } from 'vitest'
import { readData } from '../gateway/testing/gateway.ts'
import { testChunk } from '../gateway/upstream/testing/test-upstream.ts'
import { startProgram } from './testing/program.ts'
import { rule } from './testing/rule.ts'
import { postChat } from './testing/socket.ts'
import { breaks, startScriptedUpstream } from './testing/upstream.ts'

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

rule(
  'Streaming',
  'An error in a stream is a final chunk { error: { type, message } }, then the connection closes',
  async () => {
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
  },
)

const endings: Record<string, (exchange: Parameters<Parameters<typeof upstream.model>[1]>[0]) => void> = {
  'a clean end without [DONE]': (exchange) => exchange.end(),
  'a reset connection': (exchange) => void setTimeout(() => exchange.reset(), 20),
  'a chunk that is not JSON': (exchange) => exchange.data('{nonsense').end(),
  'an event named error': (exchange) => exchange.raw('event: error\ndata: {"message":"no"}\n\n').end(),
}
for (const [what, end] of Object.entries(endings)) {
  rule('Streaming', `A failed stream ends with an error chunk and without [DONE]: ${what}`, async () => {
    const model = what.replaceAll(/[^a-z]+/gi, '-').toLowerCase()
    await upstream.model(model, (exchange) =>
      end(exchange.begin().data(testChunk({ role: 'assistant', content: 'Half' }))),
    )
    const { status, text } = await stream({ model })
    expect(status).toBe(200)
    const events = readData(text)
    expect(events.at(-1)).toMatchObject({ error: { type: 'upstream_error', message: expect.any(String) } })
    expect(events).not.toContain('[DONE]')
  })
}

rule(
  'Streaming',
  'A stream that stalls ends with an error chunk; comments do not count as progress',
  async () => {
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
  },
)

rule('Streaming', 'A failure before the first chunk is an HTTP status, not a stream', async () => {
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

rule(
  'Streaming',
  'The upstream call is aborted within 100 ms after the client disconnects, plain or streamed',
  async () => {
    for (const streams of [true, false]) {
      const gone = Promise.withResolvers<number>()
      const asked = Promise.withResolvers<void>()
      const model = `hung-up-${streams}`
      await upstream.model(model, (exchange) => {
        if (streams) exchange.begin().data(testChunk({ role: 'assistant', content: 'some words' }))
        void exchange.disconnected.then(() => gone.resolve(performance.now()))
        asked.resolve()
      })
      const left = new AbortController()
      const call = tollgate.chat({ model, stream: streams }, { signal: left.signal }).catch(() => 'left')
      await asked.promise
      const hungUpAt = performance.now()
      left.abort()
      expect((await gone.promise) - hungUpAt).toBeLessThan(100)
      expect(await call).toBe('left')
    }
  },
)
