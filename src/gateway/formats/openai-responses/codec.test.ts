import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import type { NativeRequest, Target } from '../chat/codec-types.ts'
import { encodeSignedReasoning } from '../chat/reasoning.ts'
import { choice, replayDefaults } from '../testing/replay.ts'
import { native, openaiResponses } from './codec.ts'
import { replay } from './testing/encode.ts'

const read = (body: unknown) => openaiResponses.plainAnswer(body, replay.target, replayDefaults)
const recorded = (name: string) => read(replay.json(name))

describe('a plain answer', () => {
  test('has text, usage and what identifies it', () => {
    expect(recorded('plain')).toMatchObject({
      completion: {
        id: 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9',
        created: 1_760_000_100,
        model: 'gpt-5.5-2026-04-23',
        service_tier: 'default',
        choices: [{ message: { content: 'Grüße aus 東京 🚆', refusal: null }, finish_reason: 'stop' }],
      },
      usage: { buckets: { input: 8, cacheRead: 4, output: 7, reasoning: 2 } },
    })
  })

  test('has tool calls and reasoning', () => {
    const message = {
      content: 'Both.',
      reasoning_content: 'Both cities.\n\nThen time.',
      signed_reasoning: [{ format: 'openai-responses', data: { id: 'rs_01' } }],
      tool_calls: [
        { id: 'call_A', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
        { id: 'call_B', type: 'function', function: { name: 'get_time', arguments: '{}' } },
        { id: 'call_C', type: 'custom', custom: { name: 'apply', input: 'ä' } },
      ],
    }
    expect(recorded('plain-tools')).toMatchObject(choice(message, { finish_reason: 'tool_calls' }))
    expect(recorded('plain-tools')).toMatchObject({
      usage: { buckets: { input: 150, cacheRead: 100, cacheWrite5m: 50, output: 50 } },
    })
  })

  test('has a refusal, citations, searches and log probabilities', () => {
    expect(recorded('plain-refusal')).toMatchObject(choice({ content: null, refusal: "I can't." }))
    expect(recorded('plain-search')).toMatchObject(
      choice(
        {
          content: 'Let me see.\n\nSun in Rome.',
          annotations: [{ type: 'url_citation', url_citation: { start_index: 13, title: 'Rome' } }],
          content_parts: [{ type: 'web_search_call' }],
        },
        { logprobs: { content: [{ token: 'Sun', bytes: [83, 117, 110] }] } },
      ),
    )
  })

  test('that was cut off says so', () => {
    expect(recorded('plain-incomplete')).toMatchObject(
      choice({ content: 'Once upon' }, { finish_reason: 'length' }),
    )
  })

  test('that failed has its error and usage', () => {
    expect(recorded('error-failed')).toMatchObject({
      kind: 'status',
      status: 400,
      code: 'invalid_image_url',
      usage: { buckets: { input: 12, output: 3 } },
    })
  })
})

test('a model list is read', () => {
  expect(openaiResponses.models(replay.json('models'), 10)?.map(({ id }) => id)).toEqual([
    'gpt-5.5',
    'gpt-4o',
  ])
})

function send(body: string, overrides: Partial<Target> = {}) {
  const target = testTarget('http://127.0.0.1:1/v1', { upstreamModel: 'gpt-5.5', ...overrides })
  const request: NativeRequest = {
    format: 'openai-responses',
    body,
    json: JSON.parse(body),
    chatRequest: { model: 'mine/gpt', messages: [{ role: 'user', content: 'Hi' }] },
    stream: true,
    query: '?a=1',
    headers: { 'openai-beta': 'x=v1' },
  }
  return native.request(request, target)
}

describe('a request', () => {
  test('changes only the model’s name', () => {
    expect(send('{ "model" : "mine/gpt", "input": [ {"n": 1.0} ],"store":true }')).toEqual({
      path: '/responses?a=1',
      headers: { 'openai-beta': 'x=v1', 'content-type': 'application/json', accept: 'text/event-stream' },
      body: '{ "model" : "gpt-5.5", "input": [ {"n": 1.0} ],"store":true }',
    })
  })

  test('has no encrypted reasoning of Tollgate: what OpenAI wrote is restored, and what others wrote is left out', () => {
    const reasoning = (format: 'openai-responses' | 'anthropic-messages', data: object) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content: encodeSignedReasoning({ format, data: { ...data } }),
    })
    const own = { type: 'reasoning', id: 'rs_9', summary: [], encrypted_content: 'gAAAA' }
    const message = { role: 'user', content: 'Hi' }
    const input = [
      reasoning('anthropic-messages', { type: 'thinking' }),
      reasoning('openai-responses', own),
      own,
      message,
    ]
    expect(JSON.parse(String(send(JSON.stringify({ model: 'm', input })).body)).input).toEqual([
      own,
      own,
      message,
    ])
  })

  test('has the enforced output limit if the client sets none', () => {
    const limited = { enforcedOutputTokens: 900 }
    expect(send('{"model":"m"}', limited).body).toBe('{"model":"gpt-5.5","max_output_tokens":900}')
    expect(send('{"model":"m","max_output_tokens":null}', limited).body).toBe(
      '{"model":"gpt-5.5","max_output_tokens":900}',
    )
    expect(send('{"model":"m","max_output_tokens":50}', limited).body).toBe(
      '{"model":"gpt-5.5","max_output_tokens":50}',
    )
  })
})

describe('the cost', () => {
  test.each([
    ['{"id":"r", "usage": {"input_tokens":1 }}', '{"id":"r", "usage": {"input_tokens":1,"cost":0.5 }}'],
    [
      '{"type":"response.completed","response":{"usage":{"input_tokens":1}}}',
      '{"type":"response.completed","response":{"usage":{"input_tokens":1,"cost":0.5}}}',
    ],
    [
      '{"type":"response.created","response":{"usage":null}}',
      '{"type":"response.created","response":{"usage":null}}',
    ],
    [
      '{"type":"response.output_text.delta","delta":"x"}',
      '{"type":"response.output_text.delta","delta":"x"}',
    ],
  ])('of %s is added to its usage', (json, expected) => {
    expect(native.addCost?.(json, 0.5)).toBe(expected)
  })
})
