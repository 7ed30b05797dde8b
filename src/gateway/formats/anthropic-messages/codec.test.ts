import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { readSignedReasoning } from '../chat/reasoning.ts'
import {
  choice,
  getText,
  getUsage,
  listCalls,
  listChunks,
  listFinishes,
  Replay,
  replayDefaults,
} from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'
import { readAnthropicUsage } from './usage.ts'

const replay = new Replay(anthropicMessages, 'anthropic-messages')
const target = testTarget('http://127.0.0.1:1/v1')

describe('a plain answer', () => {
  const read = (name: string) => anthropicMessages.plainAnswer(replay.json(name), target, replayDefaults)

  test('has text, tool calls, reasoning and refusal', () => {
    expect(read('plain')).toMatchObject(choice({ content: 'Grüße' }, { finish_reason: 'stop' }))
    const calls = [
      { id: 'toolu_01A', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
      { id: 'toolu_01B', function: { name: 'get_time', arguments: '{}' } },
    ]
    expect(read('plain-tools')).toMatchObject(
      choice({ content: 'Both.', tool_calls: calls }, { finish_reason: 'tool_calls' }),
    )
    const signed = [{ format: 'anthropic-messages', call_id: 'toolu_01Plain' }]
    expect(read('plain-thinking')).toMatchObject({
      ...choice({ content: null, reasoning_content: 'At the map.', signed_reasoning: signed }),
      usage: { buckets: { output: 140, reasoning: 90 } },
    })
    const refused = choice({ refusal: 'This request was declined.' }, { finish_reason: 'content_filter' })
    expect(read('plain-refusal')).toMatchObject(refused)
  })
})

describe('a model list', () => {
  test('has Anthropic’s model details and the next page', () => {
    const body = replay.json('models')
    expect(anthropicMessages.models(body, 10)).toEqual([
      {
        id: 'claude-opus-5',
        name: 'Claude Opus 5',
        created: 1_784_592_000,
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        capabilities: ['vision', 'tools', 'json', 'reasoning', 'streaming'],
      },
      { id: 'claude-haiku-4-5-20251001', name: 'Claude Haiku 4.5', created: 1_760_486_400 },
    ])
    expect(anthropicMessages.nextPage(body)).toBe('after_id=claude-haiku-4-5-20251001')
    expect(anthropicMessages.nextPage({ data: [], has_more: false, last_id: 'x' })).toBeNull()
    expect(anthropicMessages.models({ error: {} }, 10)).toBeNull()
  })
})

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

const usage = { input_tokens: 8, output_tokens: 7 }

test('counts the searches of the web that Anthropic ran', () => {
  const searched = { ...usage, server_tool_use: { web_search_requests: 3, web_fetch_requests: 1 } }
  expect(readAnthropicUsage(searched)?.buckets.webSearches).toBe(3)
  for (const server_tool_use of [null, {}, { web_search_requests: 0 }, { web_search_requests: 'many' }])
    expect(readAnthropicUsage({ ...usage, server_tool_use })?.buckets).not.toHaveProperty('webSearches')
})

const counts = { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 3 }

test('calls that the totals do not contain are added, each with its own prompt', () => {
  const iterations = [
    { type: 'message', ...counts },
    { type: 'compaction', input_tokens: 100, cache_creation_input_tokens: 7, output_tokens: 40 },
  ]
  const usage = readAnthropicUsage({ ...counts, iterations })
  expect(usage?.buckets).toMatchObject({ input: 110, cacheRead: 5, cacheWrite5m: 7, output: 43 })
  expect(usage?.calls).toMatchObject([
    { input: 10, output: 3 },
    { input: 100, output: 40 },
  ])
  expect(usage).not.toHaveProperty('otherTier')
  expect(readAnthropicUsage({ ...counts, iterations: iterations.slice(0, 1) })).not.toHaveProperty('calls')
})

test.each([
  [{ speed: 'fast' }, 'fast'],
  [{ inference_geo: 'us' }, 'us'],
  [{ iterations: [{ type: 'advisor_message', model: 'claude-opus-5', ...counts }] }, 'advisor'],
  [{ service_tier: 'priority' }, 'priority'],
  [{ speed: 'standard', inference_geo: 'global', iterations: null }, undefined],
])('%j is billed in the tier %s', (more, tier) => {
  expect(readAnthropicUsage({ ...counts, ...more })?.otherTier).toBe(tier)
})

test.each([
  { cache_read_input_tokens: 'many' },
  { cache_creation_input_tokens: 1.5 },
  { cache_creation: { ephemeral_1h_input_tokens: -1 } },
  { cache_creation: { ephemeral_5m_input_tokens: true } },
  { output_tokens_details: { thinking_tokens: {} } },
])('usage with %j is no report', (odd) => {
  expect(readAnthropicUsage({ ...usage, ...odd })).toBeNull()
})
