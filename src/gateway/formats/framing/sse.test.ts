import { describe, expect, test } from 'vitest'
import { getCodec } from '../codecs.ts'
import { NATIVE_FORMATS, PLAIN_STREAMS, Replay } from '../testing/replay.ts'
import { type SseItem, SseReader } from './sse.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

function readAll(...parts: (string | Uint8Array)[]): SseItem[] {
  const reader = new SseReader()
  const items = parts.flatMap((part) => reader.read(typeof part === 'string' ? bytes(part) : part))
  return [...items, ...reader.end()]
}

describe('SseReader', () => {
  test('returns events with their names, and comments', () => {
    expect(readAll(': hello\n\nevent: error\ndata: {}\n\ndata:a\ndata: b\n\n')).toEqual([
      { type: 'comment' },
      { type: 'event', event: 'error', data: '{}' },
      { type: 'event', event: null, data: 'a\nb' },
    ])
  })

  test('returns a last event without its blank line', () => {
    expect(readAll('data: one\n\ndata: two')).toEqual([
      { type: 'event', event: null, data: 'one' },
      { type: 'event', event: null, data: 'two' },
    ])
  })

  test('decodes a character that is split between packets', () => {
    const whole = bytes('data: 🚆\n\n')
    for (let at = 1; at < whole.length; at += 1) {
      expect(readAll(whole.subarray(0, at), whole.subarray(at))).toEqual([
        { type: 'event', event: null, data: '🚆' },
      ])
    }
  })

  test.each(NATIVE_FORMATS.flatMap((format) => PLAIN_STREAMS.map((name) => [format, name] as const)))(
    'returns the same items at every split of a stream of %s: %s',
    (format, name) => {
      const whole = new Replay(getCodec(format), format).bytes(name)
      const items = readAll(whole)
      expect(items.length).toBeGreaterThanOrEqual(3)
      for (let at = 1; at < whole.length; at += 1) {
        const split = readAll(whole.subarray(0, at), whole.subarray(at))
        if (JSON.stringify(split) !== JSON.stringify(items)) expect(split, `split at ${at}`).toEqual(items)
      }
    },
  )

  test.each([
    ['an event', 'data: x\n'],
    ['a line that never ends', 'data: xxxxxxx'],
    ['a line of an unknown field', 'xxxxxxxxxxxxx'],
    ['a comment', ': xxxxxxxxxxx'],
  ])('fails on %s over the limit, then ignores the rest', (_, piece) => {
    const reader = new SseReader(1000)
    const items = Array.from({ length: 200 }, () => reader.read(bytes(piece))).flat()
    expect(items).toEqual([{ type: 'malformed', message: expect.stringContaining('1000') }])
    expect(reader.end()).toEqual([])
  })

  test('reads any number of small events and comments', () => {
    const reader = new SseReader(1000)
    const items = Array.from({ length: 300 }, () => reader.read(bytes('data: 12345\n\n: c\n'))).flat()
    expect(items).toHaveLength(600)
  })
})
