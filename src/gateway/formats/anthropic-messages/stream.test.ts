import { describe, expect, test } from 'vitest'
import { readSignedReasoning } from '../chat/reasoning.ts'
import { getText, getUsage, listCalls, listChunks, listFinishes, Replay } from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'

const replay = new Replay(anthropicMessages, 'anthropic-messages')

describe('a recorded stream', () => {
  test('reports usage at its start, so that an interrupted stream can be priced', () => {
    expect(getUsage(replay.stream('stream-cut'))).toMatchObject({
      buckets: { input: 8, cacheRead: 4 },
      estimated: true,
    })
    expect(getUsage(replay.stream('stream'))?.estimated).toBeUndefined()
  })

  test('numbers tool calls from 0, and sends an empty object for no arguments', () => {
    expect(listCalls(replay.stream('stream-tools'))).toEqual([
      { id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6', name: 'get_weather', args: '{"city": "Zürich"}' },
    ])
    const parallel = replay.stream('stream-parallel-tools')
    expect(listCalls(parallel)).toEqual([
      { id: 'toolu_01A', name: 'get_weather', args: '{"city":"Rom"}' },
      { id: 'toolu_01B', name: 'get_time', args: '{}' },
    ])
    expect(getText(parallel)).toBe('Both at once.')
    expect(listFinishes(parallel)).toEqual(['tool_calls'])
  })

  test('keeps signed thinking for clients that send it back, with the call that it precedes', () => {
    const findSigned = (name: string) =>
      listChunks(replay.stream(name)).flatMap(({ choices: [choice] }) =>
        readSignedReasoning(choice?.delta ?? {}),
      )
    expect(findSigned('stream-thinking-tools')).toEqual([
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
    expect(findSigned('stream-thinking')).toMatchObject([{ data: { thinking: '17 × 3 = 51' } }])
    expect(findSigned('stream')).toEqual([])
  })

  test('splits cache writes by lifetime', () => {
    const usage = getUsage(replay.stream('stream-cached'))
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

  test('forwards the refusal, and omits what has no field in the clients’ format', () => {
    expect(JSON.stringify(replay.stream('stream-refusal'))).toContain(
      '"refusal":"This request was declined."',
    )
    const events = replay.stream('stream-unknown-events')
    expect(getText(events)).toBe('Found.')
    expect(listCalls(events)).toEqual([])
  })

  test('fails before its first chunk if it can be retried', () => {
    expect(replay.stream('stream-error-rate-limit').map((event) => event.type)).toEqual(['usage', 'failed'])
  })
})
