import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { type ChatEvent, TRANSLATED } from '../formats/chat/events.ts'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { UpstreamPool } from './connection-pool.ts'
import { createHttpAdapter } from './http-adapter.ts'
import { testTarget } from './testing/test-upstream.ts'

const mock = new LLMock({ port: 0 })
const pool = new UpstreamPool()
const adapter = createHttpAdapter(pool)
const signal = new AbortController().signal
const target = () => testTarget(`${mock.url}/v1`, { upstreamModel: 'gpt-4o' })

beforeAll(async () => {
  mock.onMessage('hello', { content: 'Hi there, how are you?' })
  mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Rom"}' }] })
  await mock.start()
})

afterAll(async () => {
  await pool.close()
  await mock.stop()
})

function ask(content: string): ChatRequest {
  return { model: 'x', messages: [{ role: 'user', content }] }
}

const send = (request: ChatRequest) =>
  adapter.send({ target: target(), request, encoded: null, mode: TRANSLATED, credential: 'key', signal })

async function stream(content: string): Promise<ChatEvent[]> {
  const answer = await send({ ...ask(content), stream: true })
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const events: ChatEvent[] = []
  const normalizer = new StreamNormalizer({ id: 'x', created: 1, model: 'x' })
  for await (const batch of answer.events) events.push(...batch.flatMap((event) => normalizer.next(event)))
  return events
}

it('reads a plain answer of a third-party mock', async () => {
  const answer = await send(ask('hello'))
  expect(answer).toMatchObject({
    kind: 'plain',
    completion: { choices: [{ message: { content: 'Hi there, how are you?' }, finish_reason: 'stop' }] },
    usage: { buckets: { input: expect.any(Number), output: expect.any(Number) } },
  })
})

it('reads its streams with their raw bytes and usage', async () => {
  const events = await stream('hello')
  const text = events.flatMap((e) =>
    e.type === 'chunk' ? e.chunk.choices.map((c) => c.delta.content ?? '') : [],
  )
  expect(text.join('')).toBe('Hi there, how are you?')
  expect(events.every((event) => event.type !== 'chunk' || event.raw !== null)).toBe(true)
  expect(events.slice(-2).map((event) => event.type)).toEqual(['usage', 'done'])
})

it('reads its tool calls', async () => {
  const calls = (await stream('weather')).flatMap((e) =>
    e.type === 'chunk' ? e.chunk.choices.flatMap((c) => c.delta.tool_calls ?? []) : [],
  )
  expect(calls[0]).toMatchObject({
    index: 0,
    id: expect.any(String),
    type: 'function',
    function: { name: 'get_weather' },
  })
  expect(calls.map((call) => call.function?.arguments ?? '').join('')).toBe('{"city":"Rom"}')
})

it('reads its list of models', async () => {
  expect((await adapter.listModels({ source: target(), credential: 'key', signal })).length).toBeGreaterThan(
    0,
  )
})
