import { describe, expect, test } from 'vitest'
import { SseReader } from '../framing/sse.ts'
import {
  findFailure,
  getText,
  getUsage,
  joinReasoning,
  listCalls,
  listChunks,
  listFinishes,
  replayDefaults,
} from '../testing/replay.ts'
import { openaiResponses } from './codec.ts'
import { replay } from './testing/encode.ts'
import { EVENT_TYPES } from './testing/event-types.ts'
import { readResponsesUsage } from './usage.ts'

const deltas = (name: string) =>
  listChunks(replay.stream(name)).flatMap(({ choices }) => choices.map(({ delta }) => delta))
/** The values of a member of the deltas, which is a list. */
const listed = (name: string, member: string): unknown[] =>
  deltas(name).flatMap((delta) => delta[member] ?? [])

test('the recordings have every type of event', () => {
  const all = replay.names('stream').map((name) => replay.text(name))
  const missing = EVENT_TYPES.filter((type) => !all.some((text) => text.includes(`event: ${type}\n`)))
  expect(missing).toEqual([])
})

describe('a recorded stream', () => {
  test.each(['stream', 'stream-done-marker', 'stream-no-items'])('%s has its encrypted reasoning', (name) => {
    expect(listed(name, 'signed_reasoning')).toEqual([
      {
        format: 'openai-responses',
        data: { type: 'reasoning', id: 'rs_01', summary: [], encrypted_content: 'gAAAAABo5c2xHq0c' },
      },
    ])
  })

  test('has the tier of service', () => {
    expect(replay.stream('stream')).toContainEqual(
      expect.objectContaining({ type: 'usage', members: { service_tier: 'default' } }),
    )
    expect(getUsage(replay.stream('stream-search'))).toMatchObject({
      otherTier: 'priority',
      buckets: { cacheWrite5m: 200, webSearches: 1 },
    })
  })

  test('numbers tool calls from 0 and assembles their arguments', () => {
    expect(listCalls(replay.stream('stream-tools'))).toEqual([
      { id: 'call_62136354', name: 'get_weather', args: '{"city": "Zürich"}' },
    ])
    const parallel = replay.stream('stream-parallel-tools')
    expect(listCalls(parallel)).toEqual([
      { id: 'call_A', name: 'get_weather', args: '{"city":"Rom"}' },
      { id: 'call_B', name: 'get_time', args: '{}' },
    ])
    expect(getText(parallel)).toBe('Both at once.')
    expect(listFinishes(parallel)).toEqual(['tool_calls'])
  })

  test('has calls of custom tools with their input', () => {
    const calls = listed('stream-custom-tool', 'tool_calls')
    expect(calls[0]).toEqual({ index: 0, id: 'call_C', type: 'custom', custom: { name: 'apply', input: '' } })
    expect(calls.slice(1)).toEqual(
      ['*** Begin', ' Patch\n', 'ä'].map((input) => ({ index: 0, custom: { input } })),
    )
    expect(listFinishes(replay.stream('stream-custom-tool'))).toEqual(['tool_calls'])
  })

  test('separates reasoning from text, and its parts from each other', () => {
    const events = replay.stream('stream-reasoning')
    expect(joinReasoning(events)).toBe('17 × 3 = 51\n\nCheck it.')
    expect(getText(events)).toBe('51')
    expect(getUsage(events)?.buckets).toMatchObject({ output: 60, reasoning: 48 })
    expect(joinReasoning(replay.stream('stream-reasoning-text'))).toBe('17 × 3 = 51')
    expect(listed('stream-reasoning-text', 'signed_reasoning')).toMatchObject([
      { data: { content: [{ type: 'reasoning_text', text: '17 × 3 = 51' }] } },
    ])
  })

  test('names the call that later reasoning precedes', () => {
    expect(listed('stream-tools', 'signed_reasoning')).toEqual([
      { format: 'openai-responses', data: expect.objectContaining({ id: 'rs_01' }) },
      {
        format: 'openai-responses',
        data: expect.objectContaining({ id: 'rs_02' }),
        call_id: 'call_62136354',
      },
    ])
  })

  test('without deltas has what its items have', () => {
    const events = replay.stream('stream-no-deltas')
    expect(joinReasoning(events)).toBe('17 × 3 = 51')
    expect(getText(events)).toBe('Grüße aus 東京 🚆')
    expect(listCalls(events)).toEqual([{ id: 'call_A', name: 'get_weather', args: '{"city":"Rom"}' }])
  })

  test('has refusals, log probabilities and annotations as chat completions have them', () => {
    expect(deltas('stream-refusal').map(({ refusal }) => refusal ?? '')).toEqual([
      ...["I'm sorry,", " I can't.", ''],
    ])
    const choices = listChunks(replay.stream('stream-logprobs')).flatMap((chunk) => chunk.choices)
    expect(choices[0]?.logprobs).toMatchObject({
      content: [
        { token: 'Ja', logprob: -0.1, bytes: null, top_logprobs: [{ token: 'Ja' }, { bytes: null }] },
      ],
    })
    expect(getText(replay.stream('stream-search'))).toBe('Let me see.\n\nSun in Rome.')
    expect(listed('stream-search', 'annotations')).toEqual([
      {
        type: 'url_citation',
        url_citation: { start_index: 13, end_index: 17, url: 'https://weather.example/rome', title: 'Rome' },
      },
    ])
  })

  test('has the items of the provider’s own tools unchanged', () => {
    expect(listed('stream-search', 'content_parts')).toMatchObject([
      { type: 'web_search_call', status: 'completed', action: { query: 'weather Rome' } },
      { type: 'file_search_call' },
    ])
    const types = listed('stream-server-tools', 'content_parts').map((part) => Object(part).type)
    expect(types).toEqual([
      'code_interpreter_call',
      'mcp_list_tools',
      'mcp_call',
      'image_generation_call',
      'shell_call',
      'shell_call_output',
      'compaction',
    ])
    expect(getText(replay.stream('stream-server-tools'))).toBe('42')
    expect(listCalls(replay.stream('stream-server-tools'))).toEqual([])
  })
})

describe('progress without text', () => {
  const progress = (...events: object[]): boolean[] => {
    const parser = openaiResponses.streamParser(replay.target, replayDefaults)
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    return new SseReader().read(bytes).map((item) => {
      if (item.type === 'event') parser.event(item)
      return parser.hiddenProgress ?? false
    })
  }

  test('is every event about the response, known or not, that has content', () => {
    expect(
      progress(
        { type: 'response.web_search_call.searching', output_index: 0 },
        { type: 'response.code_interpreter_call_code.delta', delta: 'x' },
        { type: 'response.something_new' },
        { type: 'response.image_generation_call.partial_image', partial_image_b64: 'x' },
      ),
    ).toEqual([true, true, true, true])
    expect(
      progress(
        { type: 'keepalive' },
        { type: 'response.in_progress', response: {} },
        { type: 'response.created', response: {} },
        { type: 'response.queued' },
        { type: 'response.output_text.delta', output_index: 0, delta: '' },
      ),
    ).toEqual([false, false, false, false, false])
  })
})

describe('a stream that fails', () => {
  test('has no chunk if it fails at its start, and the usage if it fails later', () => {
    expect(replay.stream('stream-failed').map(({ type }) => type)).toEqual(['failed'])
    expect(getUsage(replay.stream('stream-failed-late'))?.buckets).toMatchObject({ output: 3 })
    expect(findFailure(replay.stream('stream-error-nested'))).toMatchObject({ param: 'input' })
  })

  test('says when to try again', () => {
    expect(findFailure(replay.stream('stream-failed'))).toMatchObject({ retryAfterMs: 1300 })
    expect(findFailure(replay.stream('stream-error'))).toMatchObject({ retryAfterMs: null })
  })
})

const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
const read = (rest: object) => readResponsesUsage({ usage, ...rest }, {})

test('searches of the web and of files are counted', () => {
  const output = [
    { type: 'web_search_call', action: { type: 'search' } },
    { type: 'web_search_call', action: { type: 'open_page' } },
    { type: 'file_search_call' },
    { type: 'file_search_call' },
  ]
  expect(read({ output })).toMatchObject({ buckets: { input: 10, webSearches: 1, fileSearches: 2 } })
  expect(read({ output })).not.toHaveProperty('estimated')
})

test('an image that was drawn within a response is charged, as an estimate', () => {
  const output = [{ type: 'image_generation_call', result: 'AAAA' }]
  expect(read({ output })).toMatchObject({
    buckets: { input: 10, output: 20, imageOutput: 1_056 },
    calls: [{ output: 20 }, { imageOutput: 1_056 }],
    estimated: true,
  })
  const image_gen = { input_tokens: 50, input_tokens_details: { image_tokens: 30 }, output_tokens: 4_000 }
  expect(read({ output, tool_usage: { image_gen } })).toMatchObject({
    buckets: { input: 30, imageInput: 30, output: 20, imageOutput: 4_000 },
    estimated: true,
  })
})

test('a container makes the cost an estimate', () => {
  expect(read({ output: [{ type: 'code_interpreter_call' }] })).toMatchObject({ estimated: true })
})

test('odd reports of tools are not counted', () => {
  for (const image_gen of [null, 5, { input_tokens: -1, output_tokens: 'x' }, { output_tokens: 1e300 }])
    expect(read({ output: [null, 5, {}], tool_usage: { image_gen } })?.buckets).toMatchObject({ output: 20 })
})
