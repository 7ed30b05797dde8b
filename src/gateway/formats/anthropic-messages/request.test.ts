import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { parseJson } from '../json/json.ts'
import { hello, toolCall } from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'
import { encode, weather } from './testing/encode.ts'

describe('a request', () => {
  test('is sent to /messages with its API version', () => {
    const target = testTarget('http://127.0.0.1:1/v1')
    const made = anthropicMessages.chatRequest({ model: 'x', messages: hello, stream: true }, target)
    expect(made).toMatchObject({ path: '/messages', headers: { accept: 'text/event-stream' } })
    expect(anthropicMessages.headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(anthropicMessages.authorization).toBe('x-api-key')
  })

  test('forwards only fields that Anthropic supports', () => {
    const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi', name: 'me', extra: 1 }]
    const unknown = { logprobs: true, seed: 1, store: true, verbosity: 'low', stream_options: {}, n: 1 }
    expect(encode({ messages, ...unknown, user: 'u-1', stop: 'END', stream: true })).toEqual({
      model: 'acme-large',
      max_tokens: 16_384,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      metadata: { user_id: 'u-1' },
      stop_sequences: ['END'],
      stream: true,
    })
  })

  test('joins the first instructions and leaves later ones in their place', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      { role: 'developer', content: 'Two.' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: [{ type: 'text', text: 'Three.' }] },
      { role: 'user', content: 'Still there?' },
    ]
    const later = { text: '<system>\nThree.\n</system>' }
    expect(encode({ messages })).toMatchObject({
      system: 'One.\nTwo.',
      messages: [{ role: 'user', content: [{ text: 'Hi' }, later, { text: 'Still there?' }] }],
    })
    expect(encode({ messages: messages.slice(0, 1) })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'One.' }] }],
    })
  })

  test('forwards cache control of content parts', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: [{ type: 'text', text: 'Long.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', x: 1 } }] },
    ]
    expect(encode({ messages, tools: [{ ...weather, ...mark }] })).toMatchObject({
      system: [{ type: 'text', text: 'Long.', ...mark }],
      messages: [{ content: [{ text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
      tools: [{ name: 'get_weather', ...mark }],
    })
  })

  test('moves the mark of a result’s text to the result, whose text stays the same', () => {
    const cache_control = { type: 'ephemeral' as const }
    const result = (part: object) => {
      const content = [{ type: 'text' as const, text: 'sunny', ...part }]
      return encode({
        messages: [
          ...hello,
          { role: 'assistant', tool_calls: [toolCall('a', 'get_weather')] },
          { role: 'tool', tool_call_id: 'a', content },
        ],
      })
    }
    const block = { type: 'tool_result', tool_use_id: 'a', content: 'sunny' }
    expect(result({})).toMatchObject({ messages: [{}, {}, { content: [block] }] })
    expect(result({ cache_control })).toMatchObject({
      messages: [{}, {}, { content: [{ ...block, cache_control }] }],
    })
  })

  test('limits the output to the client’s limit, the model’s or the default', () => {
    expect(encode({ max_completion_tokens: 50, max_tokens: 70 })).toMatchObject({ max_tokens: 50 })
    expect(encode({ max_tokens: 200_000 }, {}, 64_000)).toMatchObject({ max_tokens: 64_000 })
    expect(encode({}, {}, 64_000)).toMatchObject({ max_tokens: 64_000 })
    expect(encode({})).toMatchObject({ max_tokens: 16_384 })
  })

  test('limits the output to what is reserved, or to a smaller limit of the client', () => {
    const target = testTarget('http://127.0.0.1:1', { enforcedOutputTokens: 900, maxOutputTokens: 64_000 })
    const made = (fields: object) =>
      parseJson(anthropicMessages.chatRequest({ model: 'x', messages: hello, ...fields }, target).body)
    expect(made({})).toMatchObject({ max_tokens: 900 })
    expect(made({ max_tokens: 2_000 })).toMatchObject({ max_tokens: 900 })
    expect(made({ max_tokens: 300 })).toMatchObject({ max_tokens: 300 })
  })

  test('limits temperature to 1, and omits it with thinking or if the model rejects it', () => {
    expect(encode({ temperature: 1.7, top_p: 0.9 })).toMatchObject({ temperature: 1 })
    expect(encode({ temperature: 1.7, top_p: 0.9 })).not.toHaveProperty('top_p')
    expect(encode({ top_p: 0.9 })).toMatchObject({ top_p: 0.9 })
    expect(encode({ temperature: 0, reasoning_effort: 'high' })).not.toHaveProperty('temperature')
    expect(encode({ temperature: 0 }, { dropFields: ['temperature'] })).not.toHaveProperty('temperature')
  })

  test.each([
    [
      'arguments other than an object',
      { messages: [...hello, { role: 'assistant', tool_calls: [toolCall('a', 'f', '[1]')] }] },
    ],
    ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      'an unknown forced tool',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'x' } } },
    ],
    [
      'audio',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] },
        ],
      },
    ],
    [
      'a file id of the vendor',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    [
      'an image with a file URL',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        ],
      },
    ],
    ['a legacy function message', { messages: [...hello, { role: 'function', name: 'f', content: 'x' }] }],
    ['an unknown effort', { reasoning_effort: 'turbo' }],
  ])('with %s is rejected with 400', (_, request) => {
    const refused = expect.objectContaining({ kind: 'status', status: 400 })
    expect(() => encode(request as Partial<ChatRequest>)).toThrow(refused)
  })
})

describe('a request', () => {
  test.each([
    ['auto', undefined, { type: 'auto' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', undefined, { type: 'none' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [
      { type: 'function', function: { name: 'get_weather' } },
      undefined,
      { type: 'tool', name: 'get_weather' },
    ],
  ] as const)('maps tool_choice %j with parallel_tool_calls %j', (choice, parallel, expected) => {
    const request = {
      tools: [weather],
      tool_choice: choice,
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    }
    expect(encode(request)).toMatchObject({
      tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: { city: {} } } }],
      tool_choice: expected,
    })
  })

  test('sends only the allowed tools', () => {
    const other = { type: 'function' as const, function: { name: 'other' } }
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'other' } }] }
    expect(
      encode({ tools: [weather, other], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }),
    ).toMatchObject({
      tools: [{ name: 'other', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    })
  })

  test('instructs the model if a forced call is rejected, and drops thinking for a forced call', () => {
    const forced = { tools: [weather], tool_choice: 'required' as const }
    expect(encode(forced, { noForcedTools: true })).toMatchObject({
      tool_choice: { type: 'auto' },
      system: expect.stringContaining('calling one of the tools'),
    })
    expect(encode({ ...forced, reasoning_effort: 'high' })).not.toHaveProperty('thinking')
  })

  test('sends a JSON schema closed and narrowed, and an instruction for json_object', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'Count' }, u: { oneOf: [{}, {}] } },
      required: ['n'],
    }
    expect(
      encode({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
    ).toMatchObject({
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            properties: { n: { type: 'integer', description: 'Count (minimum: 1)' }, u: { anyOf: [{}, {}] } },
            additionalProperties: false,
          },
        },
      },
    })
    const jsonObject = encode({ response_format: { type: 'json_object' } })
    expect(jsonObject).toMatchObject({ system: expect.stringContaining('single JSON object') })
  })

  test.each([
    ['low', {}, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['minimal', {}, { output_config: { effort: 'low' } }],
    ['none', {}, { thinking: { type: 'disabled' } }],
    ['none', { efforts: ['low', 'high'] }, { output_config: { effort: 'low' } }],
    ['xhigh', { efforts: ['none', 'low', 'high', 'max'] }, { output_config: { effort: 'high' } }],
    ['high', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 15_360 } }],
    ['low', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ] as const)('maps reasoning_effort %s with %j', (effort, quirks, expected) => {
    expect(encode({ reasoning_effort: effort, temperature: 0.5 }, quirks)).toMatchObject(expected)
  })

  test.each([
    [{ reasoning_effort: 'none' }, { thinking: 'budget' }],
    [{ reasoning_effort: 'high' }, { thinking: 'none' }],
    [{ reasoning_effort: 'high', max_tokens: 1500 }, { thinking: 'budget' }],
    [{}, {}],
  ] as const)('%j with %j does not ask for thinking', (request, quirks) => {
    expect(encode(request, quirks)).not.toHaveProperty('thinking')
  })
})
