import { describe, expect, test } from 'vitest'
import { readSignedReasoning } from '../chat/reasoning.ts'
import {
  callsOf,
  chunksOf,
  expectGreeting,
  failureOf,
  finishOf,
  PLAIN_STREAMS,
  Replay,
  reasoningOf,
  replayDefaults,
  textOf,
  usageOf,
} from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'

const replay = new Replay(anthropicMessages, 'anthropic-messages')

describe('a recorded stream', () => {
  test.each(replay.names('stream'))('%s has the same events at every split of its bytes', (name) => {
    replay.expectSameAtEverySplit(name)
  })

  test.each([...PLAIN_STREAMS, 'stream-no-stop'])('%s has its text, usage and end', (name) => {
    const events = replay.stream(name)
    expectGreeting(events)
    expect(usageOf(events)?.buckets).toMatchObject({ input: 8, cacheRead: 4, output: 7 })
  })

  test('has the message’s id and model', () => {
    expect(replay.stream('stream')).toContainEqual(
      expect.objectContaining({
        chunk: expect.objectContaining({
          id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
          created: replayDefaults.created,
          model: 'claude-sonnet-4-5-20250929',
        }),
      }),
    )
  })

  test('reports usage at its start, so that an interrupted stream can be priced', () => {
    expect(usageOf(replay.stream('stream-cut'))).toMatchObject({
      buckets: { input: 8, cacheRead: 4 },
      estimated: true,
    })
    expect(usageOf(replay.stream('stream'))?.estimated).toBeUndefined()
    expect(failureOf(replay.stream('stream-cut'))).toMatchObject({ kind: 'malformed' })
    expect(failureOf(replay.stream('stream-cut-inside'))).toMatchObject({ kind: 'malformed' })
    expect(failureOf(replay.events())).toMatchObject({ kind: 'malformed' })
  })

  test('numbers tool calls from 0, and sends an empty object for no arguments', () => {
    expect(callsOf(replay.stream('stream-tools'))).toEqual([
      { id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather', args: '{"city": "Zürich"}' },
    ])
    const parallel = replay.stream('stream-parallel-tools')
    expect(callsOf(parallel)).toEqual([
      { id: 'toolu_01A', name: 'get_weather', args: '{"city":"Rom"}' },
      { id: 'toolu_01B', name: 'get_time', args: '{}' },
    ])
    expect(textOf(parallel)).toBe('Both at once.')
    expect(finishOf(parallel)).toEqual(['tool_calls'])
  })

  test('separates reasoning from text', () => {
    const events = replay.stream('stream-thinking')
    expect(reasoningOf(events)).toBe('17 × 3 = 51')
    expect(textOf(events)).toBe('51')
    expect(usageOf(events)?.buckets).toMatchObject({ output: 60, reasoning: 48 })
  })

  test('keeps signed thinking for clients that send it back, with the call that it precedes', () => {
    const signedOf = (name: string) =>
      chunksOf(replay.stream(name)).flatMap(({ choices: [choice] }) =>
        readSignedReasoning(choice?.delta ?? {}),
      )
    expect(signedOf('stream-thinking-tools')).toEqual([
      {
        format: 'anthropic-messages',
        data: {
          type: 'thinking',
          thinking: 'I should look at the map.',
          signature: expect.stringMatching(/^EqQB/),
        },
      },
      {
        format: 'anthropic-messages',
        data: { type: 'redacted_thinking', data: expect.stringMatching(/^Emw/) },
        call_id: 'toolu_01Thinks',
      },
    ])
    expect(signedOf('stream-thinking')).toMatchObject([{ data: { thinking: '17 × 3 = 51' } }])
    expect(signedOf('stream')).toEqual([])
  })

  test('splits cache writes by lifetime', () => {
    const usage = usageOf(replay.stream('stream-cached'))
    expect(usage?.buckets).toMatchObject({
      input: 21,
      cacheRead: 1000,
      cacheWrite5m: 148,
      cacheWrite1h: 452,
      output: 5,
    })
    expect(usage?.asChatUsage).toMatchObject({
      prompt_tokens: 1621,
      prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 600 },
    })
  })

  test.each([
    ['stream-max-tokens', 'length'],
    ['stream-refusal', 'content_filter'],
    ['stream-unknown-events', 'stop'],
  ])('%s finishes with %s', (name, finish) => {
    expect(finishOf(replay.stream(name))).toEqual([finish])
  })

  test('forwards the refusal, and omits what has no field in the clients’ format', () => {
    expect(JSON.stringify(replay.stream('stream-refusal'))).toContain(
      '"refusal":"This request was declined."',
    )
    const events = replay.stream('stream-unknown-events')
    expect(textOf(events)).toBe('Found.')
    expect(callsOf(events)).toEqual([])
  })

  test.each([
    ['stream-error-overloaded', 529, 'overloaded_error'],
    ['stream-error-rate-limit', 429, 'rate_limit_error'],
  ])('%s fails with the status of its error type', (name, status, code) => {
    expect(failureOf(replay.stream(name))).toMatchObject({ kind: 'status', status, code })
  })

  test('fails before its first chunk if it can be retried', () => {
    expect(replay.stream('stream-error-rate-limit').map((event) => event.type)).toEqual(['usage', 'failed'])
  })

  test.each([
    ['invalid JSON', 'data: {"type":\n\n'],
    ['no object', 'data: 7\n\n'],
    ['a delta of no block', 'data: {"type":"content_block_delta","index":3,"delta":{}}\n\n'],
    ['a start without its message', 'data: {"type":"message_start"}\n\n'],
  ])('with %s fails', (_, bytes) => {
    expect(failureOf(replay.events(Buffer.from(bytes)))).toMatchObject({ kind: 'malformed' })
  })
})
