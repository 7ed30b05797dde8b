import { describe, expect, test } from 'vitest'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import type { NativeRequest, Target } from '../chat/codec-types.ts'
import { encodeSignedReasoning } from '../chat/reasoning.ts'
import { native } from './codec.ts'

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
