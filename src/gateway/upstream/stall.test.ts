import { setInterval as every } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import { type ChatEvent, TRANSLATED } from '../formats/chat/events.ts'
import { UpstreamPool } from './connection-pool.ts'
import { sendHttpCall } from './http-adapter.ts'
import { startTestUpstream, type TestUpstream, testChunk, testTarget } from './testing/test-upstream.ts'

const request: ChatRequest = { model: 'x', messages: [{ role: 'user', content: 'Hi' }], stream: true }
const STALL_MS = 250
const EVERY_MS = 50

let pool: UpstreamPool
let server: TestUpstream | null = null

beforeEach(() => {
  pool = new UpstreamPool()
})

afterEach(async () => {
  await pool.close()
  await server?.close()
})

/** Reads a stream that sends `begin`, then the `repeated` events in a cycle, `times` in total, then `end`. */
async function readEvents(
  apiFormat: ApiFormat,
  begin: readonly unknown[],
  repeated: readonly unknown[],
  times = Number.POSITIVE_INFINITY,
  end: readonly unknown[] = [],
): Promise<ChatEvent[]> {
  server = await startTestUpstream(async (exchange) => {
    exchange.begin().data(...begin)
    let sent = 0
    for await (const _ of every(EVERY_MS)) {
      if (exchange.response.destroyed) return
      if (sent >= times) break
      const event = repeated[sent % repeated.length]
      if (typeof event === 'string') exchange.raw(event)
      else exchange.data(event)
      sent += 1
    }
    exchange.data(...end).end()
  })
  const target = testTarget(server.url, { apiFormat, stallTimeoutMs: STALL_MS })
  const { signal } = new AbortController()
  const answer = await sendHttpCall(
    { target, request, encoded: null, mode: TRANSLATED, credential: 'k', signal },
    pool,
  )
  if (answer.kind !== 'stream') throw new Error('not a stream')
  const events: ChatEvent[] = []
  for await (const batch of answer.events) events.push(...batch)
  return events
}

const usage = { input_tokens: 5, output_tokens: 1 }
const start = { type: 'message_start', message: { id: 'm', model: 'x', usage } }
const block = (type: string) => ({ type: 'content_block_start', index: 0, content_block: { type } })
const delta = (inner: object) => ({ type: 'content_block_delta', index: 0, delta: inner })
const piece = { candidates: [{ content: { parts: [{ text: 'Hel' }] } }] }
const begun = { type: 'response.created', response: { id: 'r', model: 'x' } }
const reasoning = {
  type: 'response.output_item.added',
  output_index: 1,
  item: { type: 'reasoning', id: 'rs' },
}
const completed = { type: 'response.completed', response: { status: 'completed', output: [] } }
const said = { type: 'response.output_text.delta', output_index: 0, delta: 'Hel' }
const counted = { promptTokenCount: 5, thoughtsTokenCount: 3 }
const [role, hello] = [testChunk({ role: 'assistant', content: '' }), testChunk({ content: 'Hel' })]

describe('a provider that sends no progress stalls', () => {
  it.each<[string, ApiFormat, unknown[], unknown[]]>([
    ['Anthropic’s pings', 'anthropic-messages', [start, block('text')], [{ type: 'ping' }]],
    ['unknown event types', 'anthropic-messages', [start, block('text')], [{ type: 'heartbeat' }]],
    [
      'empty deltas of Anthropic',
      'anthropic-messages',
      [start, block('text')],
      [delta({ type: 'text_delta', text: '' })],
    ],
    [
      'unchanged token counts of Anthropic',
      'anthropic-messages',
      [start, block('text')],
      [{ type: 'message_delta', delta: {}, usage: { output_tokens: 1 } }],
    ],
    ['empty chunks', 'openai-chat', [role, hello], [role, testChunk({}), testChunk({ tool_calls: [] })]],
    ['chunks without choices', 'openai-chat', [hello], [{ ...hello, choices: [] }, { id: 'x' }, 'data:\n\n']],
    ['comments', 'openai-chat', [hello], [': alive\n\n']],
    ['empty parts of Gemini', 'gemini-generate', [piece], [{ candidates: [{ content: { parts: [] } }] }, {}]],
    ['keep-alive events of OpenAI', 'openai-responses', [begun, said], [{ type: 'keepalive' }]],
    [
      'a repeated status of OpenAI',
      'openai-responses',
      [begun, said],
      [{ ...begun, type: 'response.in_progress' }],
    ],
    ['unchanged token counts of Gemini', 'gemini-generate', [piece], [{ usageMetadata: counted }]],
  ])('%s', async (_, format, begin, repeated) => {
    const events = await readEvents(format, begin, repeated)
    const message = `The provider sent no more of its answer within ${STALL_MS} ms.`
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout', message } })
  })
})

describe('a provider that sends progress does not stall, even without text', () => {
  const times = (3 * STALL_MS) / EVERY_MS
  const stop = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]

  it.each<[string, ApiFormat, unknown[], unknown[], unknown[]]>([
    [
      'signatures of hidden thinking',
      'anthropic-messages',
      [start, block('thinking')],
      [delta({ type: 'signature_delta', signature: 'abc' })],
      stop,
    ],
    [
      'arguments of server tools',
      'anthropic-messages',
      [start, block('text'), block('server_tool_use')],
      [delta({ type: 'input_json_delta', partial_json: '{"a"' })],
      stop,
    ],
    [
      'reasoning',
      'openai-chat',
      [role],
      [testChunk({ reasoning_content: 'Hm' })],
      [testChunk({}, 'stop'), '[DONE]'],
    ],
    [
      'reasoning that OpenAI does not show',
      'openai-responses',
      [begun, said, reasoning],
      [': alive\n\n'],
      [{ ...reasoning, type: 'response.output_item.done' }, completed],
    ],
    [
      'searches of OpenAI',
      'openai-responses',
      [begun, said],
      [{ type: 'response.web_search_call.searching', output_index: 1 }],
      [completed],
    ],
    [
      'increasing token counts',
      'gemini-generate',
      [piece],
      Array.from({ length: times }, (_, at) => ({
        usageMetadata: { promptTokenCount: 5, thoughtsTokenCount: at + 1 },
      })),
      [{ candidates: [{ finishReason: 'STOP' }] }],
    ],
  ])('%s', async (_, format, begin, repeated, end) => {
    const events = await readEvents(format, begin, repeated, times, end)
    expect(events.at(-1)).toEqual({ type: 'done' })
  })
})
