import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { ApiFormat } from '../../shared/api/providers.ts'
import type { ChatRequest } from '../../shared/formats/chat.ts'
import type { Target } from '../formats/chat/codec-types.ts'
import type { ChatEvent } from '../formats/chat/events.ts'
import { forEachTest } from '../testing/lifetime.ts'
import { listen } from '../testing/listen.ts'
import {
  findFailure,
  listEvents,
  listTypes,
  plainRequest,
  streamRequest,
  TestCalls,
} from './testing/test-calls.ts'
import { type TestHandler, testChunk, testCompletion } from './testing/test-upstream.ts'
import { type TimedExchange, TimedPool } from './testing/timed-pool.ts'

const calls = forEachTest(async () => new TestCalls())

const hello = testChunk({ role: 'assistant', content: 'Hello' })

/** The limits for the first byte, a stall and the whole answer. */
const LIMITS = { firstByteTimeoutMs: 120_000, stallTimeoutMs: 30_000, totalTimeoutMs: 600_000 }

/** The events of a streamed answer, or a stream of the one failure that the call ends with. */
async function answerEvents(
  pool: TimedPool,
  { request = streamRequest, ...over }: Partial<Target> & { request?: ChatRequest } = {},
): Promise<ChatEvent[]> {
  const calls = new TestCalls(pool)
  const answering = calls.send('http://vendor.test', request, { ...LIMITS, ...over }).then(listEvents)
  return await pool.run(answering.catch((failure) => [{ type: 'failed', failure }]))
}

/** The message of the timeout that ends the answer. */
async function getTimeout(pool: TimedPool, request = streamRequest): Promise<string> {
  const last = (await answerEvents(pool, { request })).at(-1)
  if (last?.type !== 'failed' || last.failure.kind !== 'timeout') throw new Error(`no timeout: ${last?.type}`)
  return last.failure.message
}

/** Sends `what` again and again, without end. */
function repeat(exchange: TimedExchange, pool: TimedPool, what: string): void {
  pool.after(EVERY_MS, () => {
    exchange.raw(what)
    if (!exchange.aborted) repeat(exchange, pool, what)
  })
}

const EVERY_MS = 5_000
const COMMENT = ': still thinking\n\n'

describe('time limits', () => {
  it('no response: first byte', async () => {
    expect(await getTimeout(new TimedPool(() => {}), plainRequest)).toBe(
      'The provider sent nothing within 120 s.',
    )
  })

  it('headers and comments but no event: first byte', async () => {
    const pool = new TimedPool((exchange) => repeat(exchange.begin(), pool, COMMENT))
    expect(await getTimeout(pool)).toBe('The provider sent nothing within 120 s.')
  })

  it('comments after the first event: stall', async () => {
    const pool = new TimedPool((exchange) => repeat(exchange.begin().data(hello), pool, COMMENT))
    expect(await getTimeout(pool)).toBe('The provider sent no more of its answer within 30 s.')
  })

  it('a plain body that stops: stall', async () => {
    const pool = new TimedPool((exchange) => void exchange.begin('application/json').raw('{"choices":'))
    expect(await getTimeout(pool, plainRequest)).toBe('The provider sent no more of its answer within 30 s.')
  })

  it('events without end: total', async () => {
    const pool = new TimedPool((exchange) =>
      repeat(exchange.begin(), pool, `data: ${JSON.stringify(hello)}\n\n`),
    )
    expect(await getTimeout(pool)).toBe('The answer was not complete within 600 s.')
  })

  it('a slow reader is not a stall of the upstream', async () => {
    const pool = new TimedPool((exchange) => {
      exchange.begin().data(hello)
      pool.after(70_000, () => exchange.data(testChunk({}, 'stop'), '[DONE]').end())
    })
    const answer = await pool.run(new TestCalls(pool).send('http://vendor.test', streamRequest, LIMITS))
    if (answer.kind !== 'stream') throw new Error('not a stream')
    const seen: ChatEvent[] = []
    const reading = async () => {
      for await (const batch of answer.events) {
        seen.push(...batch)
        if (seen.length === 1) await new Promise<void>((resolve) => pool.after(65_000, resolve))
      }
    }
    await pool.run(reading())
    expect(listTypes(seen)).toEqual(['chunk', 'chunk', 'done'])
  })

  it('no handshake: connect', async () => {
    const server = createTcpServer((socket) => socket.resume())
    const port = await listen(server)
    const failure = await findFailure(
      calls.send(`https://127.0.0.1:${port}`, plainRequest, { connectTimeoutMs: 50 }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connection') })
    server.close()
    await once(server, 'close')
  })
})

/** Reads a stream that sends `begin`, then the `repeated` events in a cycle, `times` in total, then `end`. */
function readEvents(
  apiFormat: ApiFormat,
  begin: readonly unknown[],
  repeated: readonly unknown[],
  times = Number.POSITIVE_INFINITY,
  end: readonly unknown[] = [],
): Promise<ChatEvent[]> {
  const pool = new TimedPool((exchange) => {
    exchange.begin().data(...begin)
    const send = (sent: number) => {
      if (sent >= times) return exchange.data(...end).end()
      const event = repeated[sent % repeated.length]
      if (typeof event === 'string') exchange.raw(event)
      else exchange.data(event)
      if (!exchange.aborted) pool.after(EVERY_MS, () => send(sent + 1))
    }
    pool.after(EVERY_MS, () => send(0))
  })
  return answerEvents(pool, { apiFormat })
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
const role = testChunk({ role: 'assistant', content: '' })

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
    const message = 'The provider sent no more of its answer within 30 s.'
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'timeout', message } })
  })
})

describe('a provider that sends progress does not stall, even without text', () => {
  const times = (3 * LIMITS.stallTimeoutMs) / EVERY_MS
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

describe('an abort', () => {
  it.each([
    ['before the headers', (): void => {}, plainRequest],
    [
      'in a stream',
      (exchange: Parameters<TestHandler>[0]): void => void exchange.begin().data(hello),
      streamRequest,
    ],
  ])('%s closes the socket', async (_, begin, request) => {
    const abort = new AbortController()
    let arrived = (): void => {}
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const server = await calls.upstream(async (exchange) => {
      begin(exchange)
      arrived()
      await exchange.disconnected
      arrived()
    })
    const call = calls.send(server.url, request, {}, abort.signal)
    await arrival
    const closed = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const settled = request.stream ? call.then(listEvents) : findFailure(call)
    if (request.stream) await call
    abort.abort()
    const outcome = await settled
    await closed
    expect(Array.isArray(outcome) ? outcome.at(-1) : { type: 'failed', failure: outcome }).toMatchObject({
      type: 'failed',
      failure: { kind: 'aborted' },
    })
  })

  it('before the call prevents it', async () => {
    const server = await calls.upstream((exchange) => exchange.reply(200, testCompletion('Hi')))
    expect(await findFailure(calls.send(server.url, plainRequest, {}, AbortSignal.abort()))).toMatchObject({
      kind: 'aborted',
    })
    expect(server.requests).toHaveLength(0)
  })

  it('follows when the reader abandons a stream', async () => {
    let gone: Promise<void> = Promise.resolve()
    const server = await calls.upstream((exchange) => {
      gone = exchange.disconnected
      exchange.begin().data(hello)
    })
    const answer = await calls.send(server.url, streamRequest)
    if (answer.kind !== 'stream') throw new Error('not a stream')
    for await (const [event] of answer.events) if (event?.type === 'chunk') break
    await gone
  })
})
