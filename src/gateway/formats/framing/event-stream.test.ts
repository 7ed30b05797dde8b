import { describe, expect, test } from 'vitest'
import { AnthropicStream } from '../anthropic-messages/stream.ts'
import { replay } from '../anthropic-messages/testing/encode.ts'
import { ConverseStream } from '../bedrock-converse/stream.ts'
import * as converse from '../bedrock-converse/testing/encode.ts'
import {
  encodeChunk,
  encodeConverseStream,
  encodeEvent,
  encodeEventStream,
  encodeException,
  encodeMessage,
} from '../testing/event-stream.ts'
import { replayDefaults } from '../testing/replay.ts'
import { EventStreamReader } from './event-stream.ts'
import type { SseItem } from './sse.ts'

function listItems(...parts: Uint8Array[]): SseItem[] {
  const reader = new EventStreamReader()
  return [...parts.flatMap((part) => reader.read(part)), ...reader.end()]
}

const recorded = encodeEventStream(replay.text('stream'))
const pings = [{ type: 'ping' }, { type: 'ping', n: 2 }]
const twoPings = Buffer.concat(pings.map((ping) => encodeChunk(JSON.stringify(ping))))
const pingItems = pings.map((ping) => ({ type: 'event', event: 'ping', data: JSON.stringify(ping) }))

test('a stream brings the same chat events as the same stream of server-sent events', () => {
  const parser = new AnthropicStream(replayDefaults, replay.target.signatures)
  const events = listItems(recorded).flatMap((item) => (item.type === 'event' ? parser.event(item) : []))
  expect([...events, ...parser.end()]).toEqual(replay.stream('stream'))
})

test('it may be split at every byte, and come byte by byte', () => {
  const whole = listItems(recorded)
  expect(whole.length).toBeGreaterThan(5)
  for (let at = 1; at < recorded.length; at += 1) {
    const split = listItems(recorded.subarray(0, at), recorded.subarray(at))
    if (JSON.stringify(split) !== JSON.stringify(whole)) expect(split, `split at ${at}`).toEqual(whole)
  }
  expect(listItems(...Array.from(recorded, (byte) => Uint8Array.of(byte)))).toEqual(whole)
})

describe('a damaged stream', () => {
  test('fails wherever it is cut inside a message, after the messages before', () => {
    const first = encodeChunk(JSON.stringify(pings[0])).length
    for (let at = 1; at < twoPings.length; at += 1) {
      if (at === first) continue
      expect(listItems(twoPings.subarray(0, at)), `cut at ${at}`).toEqual([
        ...pingItems.slice(0, at > first ? 1 : 0),
        { type: 'malformed', message: 'The stream ended inside a message.' },
      ])
    }
  })

  test('fails at any changed byte, and nothing follows', () => {
    for (let at = 0; at < twoPings.length; at += 1) {
      const damaged = Buffer.from(twoPings)
      damaged[at] = (damaged[at] ?? 0) ^ 0x55
      const items = listItems(damaged)
      expect(items.at(-1)?.type, `byte ${at}`).toBe('malformed')
      expect(items.filter(({ type }) => type !== 'event')).toHaveLength(1)
    }
  })

  test('fails at a message that is longer than the limit, before it has come', () => {
    const reader = new EventStreamReader(1000)
    const [item] = reader.read(Uint8Array.of(0, 0, 4, 0, 0, 0, 0, 0))
    expect(item).toMatchObject({ type: 'malformed', message: expect.stringContaining('1024') })
    expect([...reader.read(recorded), ...reader.end()]).toEqual([])
  })

  test('fails at an event without its bytes', () => {
    const headers = { ':message-type': 'event', ':event-type': 'chunk' }
    expect(listItems(encodeMessage(headers, { p: 'a' }))).toEqual([
      { type: 'malformed', message: 'A message of the stream has no event.' },
    ])
  })
})

test.each([
  ['throttlingException', 429],
  ['internalServerException', 500],
  ['modelStreamErrorException', 502],
  ['serviceUnavailableException', 503],
  ['modelTimeoutException', 408],
  ['validationException', 400],
  ['newException', null],
])('%s is a failure with its status', (type, status) => {
  const items = listItems(twoPings, encodeException(type, 'Too many requests'), twoPings)
  expect(items.slice(0, 2)).toEqual(pingItems)
  expect(items.slice(2)).toEqual([{ type: 'failed', failure: expect.anything() }])
  expect(items[2]).toMatchObject({
    failure: { kind: 'status', status, code: type, message: 'Too many requests' },
  })
})

test('messages of unknown kinds are skipped', () => {
  const unknown = encodeMessage({ ':message-type': 'news' }, { bytes: 'e30=' })
  expect(listItems(unknown, twoPings, unknown)).toEqual(pingItems)
})

describe('a stream of Converse', () => {
  const recording = 'stream-reasoning-tools'
  const bytes = encodeConverseStream(converse.replay.bytes(recording))
  const read = (items: readonly SseItem[]) => {
    const parser = new ConverseStream(replayDefaults, converse.replay.target)
    const events = items.flatMap((item) => (item.type === 'event' ? parser.event(item) : []))
    return [...events, ...parser.end()]
  }

  test('brings the chat events of its recording, wherever it is split', () => {
    const whole = listItems(bytes)
    expect(read(whole)).toEqual(converse.replay.stream(recording))
    for (let at = 1; at < bytes.length; at += 1) {
      const split = listItems(bytes.subarray(0, at), bytes.subarray(at))
      if (JSON.stringify(split) !== JSON.stringify(whole)) expect(split, `split at ${at}`).toEqual(whole)
    }
  })

  test('fails at any changed byte', () => {
    const two = Buffer.concat([
      encodeEvent('messageStart', { role: 'assistant' }),
      encodeEvent('metadata', {}),
    ])
    for (let at = 0; at < two.length; at += 1) {
      const damaged = Buffer.from(two)
      damaged[at] = (damaged[at] ?? 0) ^ 0x01
      expect(listItems(damaged).at(-1)?.type, `byte ${at}`).toBe('malformed')
    }
  })

  test('an exception of the model has the model’s own status', () => {
    const items = listItems(encodeException('modelStreamErrorException', 'Busy', { originalStatusCode: 503 }))
    expect(items[0]).toMatchObject({ failure: { status: 503, message: 'Busy' } })
  })
})
