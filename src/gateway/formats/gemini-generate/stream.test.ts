import { describe, expect, test } from 'vitest'
import {
  findFailure,
  getText,
  getUsage,
  listCalls,
  listChunks,
  listFinishes,
  Replay,
} from '../testing/replay.ts'
import { geminiGenerate } from './codec.ts'

const replay = new Replay(geminiGenerate, 'gemini-generate')

describe('a recorded stream', () => {
  test('finishes after all parts, wherever the finish reason is', () => {
    const events = replay.stream('stream-late-parts')
    expect(getText(events)).toBe('Grüße zurück')
    expect(events.slice(-2).map((event) => event.type)).toEqual(['chunk', 'done'])
    expect(listFinishes(events)).toEqual(['stop'])
  })

  test('keeps a call’s id, and its signature in extra_content', () => {
    const events = replay.stream('stream-tools')
    expect(listCalls(events)).toEqual([{ id: 'fc_9f2', name: 'get_weather', args: '{"city":"Zürich"}' }])
    expect(listFinishes(events)).toEqual(['tool_calls'])
    const calls = listChunks(events).flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
    expect(calls).toMatchObject([
      { extra_content: { google: { thought_signature: 'CiQBveKPe1nQ0Yt4Ys6Yz5sQ0mVn' } } },
    ])
  })

  test('generates unique, short ids for calls without one', () => {
    const calls = listCalls(replay.stream('stream-parallel-tools'))
    expect(calls.map(({ name, args }) => [name, args])).toEqual([
      ['get_weather', '{"city":"Rom"}'],
      ['get_time', '{}'],
      ['get_weather', '{"city":"Rom"}'],
    ])
    const ids = calls.map(({ id }) => id ?? '')
    expect(new Set(ids).size).toBe(3)
    for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{30}_\d$/)
  })

  test('counts cached tokens once, and what server tools put in', () => {
    expect(getUsage(replay.stream('stream-cached'))?.buckets).toMatchObject({
      input: 651,
      cacheRead: 1000,
      output: 5,
    })
  })

  test('with a malformed function call is a failure, not an empty answer', () => {
    expect(findFailure(replay.stream('stream-malformed-call'))).toMatchObject({
      kind: 'malformed',
      code: 'MALFORMED_FUNCTION_CALL',
    })
  })
})
