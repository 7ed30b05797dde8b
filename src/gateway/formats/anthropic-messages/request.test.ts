import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { parseJson } from '../json/json.ts'
import { anthropicMessages } from './codec.ts'
import { encode, hello, toolCall, weather } from './testing/encode.ts'

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

  test('hoists system and developer messages and joins them', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
      { role: 'user', content: 'Still there?' },
    ]
    expect(encode({ messages })).toMatchObject({
      system: 'One.\nTwo.',
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'Still there?' }] }],
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
    const failure = (() => {
      try {
        return encode(request as Partial<ChatRequest>)
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect(failure).toMatchObject({ kind: 'status', status: 400 })
  })
})
