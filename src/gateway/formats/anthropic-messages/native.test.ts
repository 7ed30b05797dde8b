import { describe, expect, test } from 'vitest'
import type { ApiFormat } from '../../../shared/api/providers.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { encodeSignedReasoning } from '../chat/reasoning.ts'
import { isObject, parseJson } from '../json/json.ts'
import { anthropicNative } from './codec.ts'

const target = { ...testTarget('http://127.0.0.1:1/v1'), upstreamModel: 'claude-opus-5' }

function send(body: string, enforcedOutputTokens: number | null = null) {
  const json = parseJson(body)
  const native = {
    format: 'anthropic-messages' as const,
    body,
    json: isObject(json) ? json : {},
    chatRequest: { model: 'x', messages: [] },
    stream: true,
    query: '?beta=true',
    headers: { 'anthropic-beta': 'a,b', 'anthropic-version': '2026-10-21' },
  }
  return anthropicNative.request(native, { ...target, enforcedOutputTokens })
}

describe('a request of the same format', () => {
  test('keeps every byte but those of the model', () => {
    const before = '{ "max_tokens" : 1e3,\n"model":"anthropic/claude-opus-5", "x":[1.0, "\\u00e9"] }'
    expect(send(before)).toEqual({
      path: '/messages?beta=true',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'anthropic-beta': 'a,b',
        'anthropic-version': '2026-10-21',
      },
      body: before.replace('anthropic/claude-opus-5', 'claude-opus-5'),
    })
  })

  test('is given the output limit that is reserved if it has none', () => {
    expect(send('{"model":"x"}', 500).body).toBe('{"model":"claude-opus-5","max_tokens":500}')
    expect(send('{"model":"x","max_tokens":7}', 500).body).toContain('"max_tokens":7')
  })

  test('has no reasoning of other vendors, and its own as Anthropic wrote it', () => {
    const own = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
    const wrap = (format: ApiFormat, data: object) => encodeSignedReasoning({ format, data: { ...data } })
    const thinking = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
    const text = { type: 'text', text: 'Hello.' }
    const { body } = send(
      JSON.stringify({
        model: 'x',
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [thinking(wrap('gemini-generate', { thoughtSignature: 'y' })), thinking(''), text],
          },
          { role: 'assistant', content: [thinking('')] },
          { role: 'assistant', content: [thinking(wrap('anthropic-messages', own)), thinking('EqQC'), text] },
        ],
      }),
    )
    expect(parseJson(body)).toEqual({
      model: 'claude-opus-5',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [text] },
        { role: 'assistant', content: [own, thinking('EqQC'), text] },
      ],
    })
  })
})

describe('the cost', () => {
  const { addCost = (json: string) => json } = anthropicNative

  test.each([
    [
      'a plain answer',
      '{"content":[], "usage" : {"input_tokens":1}}',
      '{"content":[], "usage" : {"input_tokens":1,"cost":0.25}}',
    ],
    [
      'the end of a stream',
      '{"type":"message_delta","usage":{"output_tokens":2 }}',
      '{"type":"message_delta","usage":{"output_tokens":2,"cost":0.25 }}',
    ],
  ])('is added to the usage of %s', (_, before, after) => {
    expect(addCost(before, 0.25)).toBe(after)
  })

  test.each([
    '{"type":"message_start","message":{"usage":{"input_tokens":1}}}',
    '{"type":"message_stop"}',
    '{"type":"x","usage":null}',
  ])('is not added to %s', (json) => {
    expect(addCost(json, 0.25)).toBe(json)
  })
})
