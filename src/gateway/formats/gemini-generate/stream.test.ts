import { describe, expect, test } from 'vitest'
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
import { geminiGenerate } from './codec.ts'

const replay = new Replay(geminiGenerate, 'gemini-generate')

describe('a recorded stream', () => {
  test.each(replay.names('stream'))('%s has the same events at every split of its bytes', (name) => {
    replay.expectSameAtEverySplit(name)
  })

  test.each(PLAIN_STREAMS)('%s has its text, usage and end', (name) => {
    const events = replay.stream(name)
    expectGreeting(events)
    expect(usageOf(events)?.buckets).toMatchObject({ input: 8, cacheRead: 4, output: 7, reasoning: 3 })
    expect(usageOf(events)?.asChatUsage.completion_tokens_details).toEqual({ reasoning_tokens: 3 })
  })

  test('has the answer’s id and model', () => {
    expect(chunksOf(replay.stream('stream'))[0]).toMatchObject({
      id: 'mAitaLmkHPPlz7IPvtfUqQ4',
      created: replayDefaults.created,
      model: 'gemini-2.5-flash',
    })
  })

  test('that ends early is a failure', () => {
    for (const name of ['stream-cut', 'stream-cut-inside'])
      expect(failureOf(replay.stream(name))).toMatchObject({ kind: 'malformed' })
    expect(failureOf(replay.events())).toMatchObject({ kind: 'malformed' })
  })

  test('finishes after all parts, wherever the finish reason is', () => {
    const events = replay.stream('stream-late-parts')
    expect(textOf(events)).toBe('Grüße zurück')
    expect(events.slice(-2).map((event) => event.type)).toEqual(['chunk', 'done'])
    expect(finishOf(events)).toEqual(['stop'])
  })

  test('keeps a call’s id, and its signature in extra_content', () => {
    const events = replay.stream('stream-tools')
    expect(callsOf(events)).toEqual([{ id: 'fc_9f2', name: 'get_weather', args: '{"city":"Zürich"}' }])
    expect(finishOf(events)).toEqual(['tool_calls'])
    const calls = chunksOf(events).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(calls).toMatchObject([
      { extra_content: { google: { thought_signature: 'CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn' } } },
    ])
  })

  test('generates unique, short ids for calls without one', () => {
    const calls = callsOf(replay.stream('stream-parallel-tools'))
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['get_weather', '{"city":"Rom"}'],
      ['get_time', '{}'],
      ['get_weather', '{"city":"Rom"}'],
    ])
    const ids = calls.map(({ id }) => id ?? '')
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{30}_\d$/)
  })

  test('separates reasoning from text', () => {
    const events = replay.stream('stream-thinking')
    expect(reasoningOf(events)).toBe('**Adding**\n17 × 3 = 51')
    expect(textOf(events)).toBe('51')
    expect(usageOf(events)?.buckets).toMatchObject({ input: 20, output: 50, reasoning: 48 })
  })

  test('counts cached tokens once, and what server tools put in', () => {
    expect(usageOf(replay.stream('stream-cached'))?.buckets).toMatchObject({
      input: 651,
      cacheRead: 1000,
      output: 5,
    })
  })

  test.each([
    ['stream-blocked', 'content_filter'],
    ['stream-safety', 'content_filter'],
    ['stream-max-tokens', 'length'],
  ])('%s finishes with %s', (name, finish) => {
    const events = replay.stream(name)
    expect(finishOf(events)).toEqual([finish])
    expect(events.at(-1)).toEqual({ type: 'done' })
  })

  test('with a malformed function call is a failure, not an empty answer', () => {
    expect(failureOf(replay.stream('stream-malformed-call'))).toMatchObject({
      kind: 'malformed',
      code: 'MALFORMED_FUNCTION_CALL',
    })
  })

  test.each([
    ['stream-error', 503, 'UNAVAILABLE'],
    ['stream-error-array', 429, 'RESOURCE_EXHAUSTED'],
  ])('%s fails with the status that the error names', (name, status, code) => {
    expect(failureOf(replay.stream(name))).toMatchObject({ kind: 'status', status, code })
  })

  test.each([
    ['invalid JSON', 'data: {"candidates":\n\n'],
    ['no object', 'data: [7]\n\n'],
  ])('with %s fails', (_, bytes) => {
    expect(failureOf(replay.events(Buffer.from(bytes)))).toMatchObject({ kind: 'malformed' })
  })
})
