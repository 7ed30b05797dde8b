import { describe, expect, test } from 'vitest'
import { failureOf, usageOf } from '../testing/replay.ts'
import { replay } from './testing/encode.ts'

describe('a stream that fails', () => {
  test.each([
    ['stream-failed', 429, 'rate_limit_exceeded'],
    ['stream-failed-late', 500, 'server_error'],
    ['stream-error', 503, 'server_is_overloaded'],
    ['stream-error-nested', 400, 'context_length_exceeded'],
  ])('as %s has the status %d', (name, status, code) => {
    expect(failureOf(replay.stream(name))).toMatchObject({ kind: 'status', status, code })
  })

  test('has no chunk if it fails at its start, and the usage if it fails later', () => {
    expect(replay.stream('stream-failed').map(({ type }) => type)).toEqual(['failed'])
    expect(usageOf(replay.stream('stream-failed-late'))?.buckets).toMatchObject({ output: 3 })
    expect(failureOf(replay.stream('stream-error-nested'))).toMatchObject({ param: 'input' })
  })

  test('says when to try again', () => {
    expect(failureOf(replay.stream('stream-failed'))).toMatchObject({ retryAfterMs: 1300 })
    expect(failureOf(replay.stream('stream-error'))).toMatchObject({ retryAfterMs: null })
  })

  test.each(['stream-cut', 'stream-cut-inside'])('as %s is malformed', (name) => {
    expect(failureOf(replay.stream(name))).toMatchObject({ kind: 'malformed' })
    expect(failureOf(replay.events())).toMatchObject({ kind: 'malformed' })
  })

  test.each([
    ['invalid JSON', 'data: {"type":\n\n'],
    ['no object', 'data: 7\n\n'],
    ['an item that is none', 'data: {"type":"response.output_item.added","item":7}\n\n'],
    ['an end without its response', 'data: {"type":"response.completed"}\n\n'],
    ['an early end', 'data: [DONE]\n\n'],
  ])('with %s is malformed', (_, bytes) => {
    expect(failureOf(replay.events(Buffer.from(bytes)))).toMatchObject({ kind: 'malformed' })
  })
})
