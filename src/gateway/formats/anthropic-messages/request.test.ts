import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../shared/chat.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import { parseJson } from '../json.ts'
import type { Quirks } from '../target.ts'
import { readAnthropicRequest } from '../testing/anthropic-format.ts'
import { Replay, replayDefaults } from '../testing/replay.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { anthropicMessages } from './codec.ts'

const replay = new Replay(anthropicMessages, 'anthropic-messages')
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const hello: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]
const weather = {
  type: 'function' as const,
  function: { name: 'get_weather', description: 'Weather', parameters: { properties: { city: {} } } },
}

/** The body that is sent, valid in the vendor's own types. */
function sent(request: Partial<ChatRequest>, quirks: Quirks = {}, maxOutputTokens: number | null = null) {
  const target = testTarget('http://127.0.0.1:1/v1', { quirks, maxOutputTokens })
  const { body } = anthropicMessages.chatRequest({ model: 'x', messages: hello, ...request }, target)
  const value = parseJson(body)
  readAnthropicRequest(value)
  return value
}

function call(id: string, name: string, args = '{}') {
  return { id, type: 'function', function: { name, arguments: args } }
}

describe('a request', () => {
  it('goes to its path with its version', () => {
    const target = testTarget('http://127.0.0.1:1/v1')
    const made = anthropicMessages.chatRequest({ model: 'x', messages: hello, stream: true }, target)
    expect(made).toMatchObject({ path: '/messages', headers: { accept: 'text/event-stream' } })
    expect(anthropicMessages.headers).toEqual({ 'anthropic-version': '2023-06-01' })
    expect(anthropicMessages.authorization('k')).toEqual({ 'x-api-key': 'k' })
  })

  it('passes on only what Anthropic knows', () => {
    const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hi', name: 'me', extra: 1 }]
    const unknown = { logprobs: true, seed: 1, store: true, verbosity: 'low', stream_options: {}, n: 1 }
    expect(sent({ messages, ...unknown, user: 'u-1', stop: 'END', stream: true })).toEqual({
      model: 'acme-large',
      max_tokens: 16_384,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      metadata: { user_id: 'u-1' },
      stop_sequences: ['END'],
      stream: true,
    })
  })

  it('hoists system and developer messages and joins them', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 'One.' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
      { role: 'user', content: 'Still there?' },
    ]
    expect(sent({ messages })).toMatchObject({
      system: 'One.\nTwo.',
      messages: [{ role: 'user', content: [{ text: 'Hi' }, { text: 'Still there?' }] }],
    })
    expect(sent({ messages: messages.slice(0, 1) })).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'One.' }] }],
    })
  })

  it('keeps cache marks that clients put on parts', () => {
    const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } }
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: [{ type: 'text', text: 'Long.', ...mark }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', x: 1 } }] },
    ]
    expect(sent({ messages, tools: [{ ...weather, ...mark }] })).toMatchObject({
      system: [{ type: 'text', text: 'Long.', ...mark }],
      messages: [{ content: [{ text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
      tools: [{ name: 'get_weather', ...mark }],
    })
  })

  it('asks for as much as the client does, as the model can, or as is reserved', () => {
    expect(sent({ max_completion_tokens: 50, max_tokens: 70 })).toMatchObject({ max_tokens: 50 })
    expect(sent({ max_tokens: 200_000 }, {}, 64_000)).toMatchObject({ max_tokens: 64_000 })
    expect(sent({}, {}, 64_000)).toMatchObject({ max_tokens: 64_000 })
    expect(sent({})).toMatchObject({ max_tokens: 16_384 })
  })

  it('asks for no more than is reserved where the client says nothing', () => {
    const target = testTarget('http://127.0.0.1:1', { enforcedOutputTokens: 900, maxOutputTokens: 64_000 })
    const made = (fields: object) =>
      parseJson(anthropicMessages.chatRequest({ model: 'x', messages: hello, ...fields }, target).body)
    expect(made({})).toMatchObject({ max_tokens: 900 })
    expect(made({ max_tokens: 2_000 })).toMatchObject({ max_tokens: 2_000 })
  })

  it('puts all results of parallel calls at the head of one user turn', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Weather and time?' },
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [call('toolu_1', 'get_weather', '{"city":"Rom"}'), call('call:2', 'get_time', '')],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call:2', content: [{ type: 'text', text: '12:00' }] },
      { role: 'user', content: 'And?' },
    ]
    expect(sent({ messages })).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Both.' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rom' } },
            { type: 'tool_use', id: 'call_2', name: 'get_time', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' },
            { type: 'tool_result', tool_use_id: 'call_2', content: '12:00' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    })
  })

  it('sends images by data or by address, and documents', () => {
    const content: ChatRequest['messages'][number]['content'] = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]
    expect(sent({ messages: [{ role: 'user', content }] })).toMatchObject({
      messages: [
        {
          content: [
            { type: 'text' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
            { type: 'document', source: { media_type: 'application/pdf', data: 'JVBERi0=' } },
          ],
        },
      ],
    })
  })

  it.each([
    ['auto', undefined, { type: 'auto' }],
    ['auto', false, { type: 'auto', disable_parallel_tool_use: true }],
    ['none', undefined, { type: 'none' }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [
      { type: 'function', function: { name: 'get_weather' } },
      undefined,
      { type: 'tool', name: 'get_weather' },
    ],
  ] as const)('with tool_choice %j and parallel %j asks so', (choice, parallel, expected) => {
    const request = {
      tools: [weather],
      tool_choice: choice,
      ...(parallel !== undefined && { parallel_tool_calls: parallel }),
    }
    expect(sent(request)).toMatchObject({
      tools: [{ name: 'get_weather', input_schema: { type: 'object', properties: { city: {} } } }],
      tool_choice: expected,
    })
  })

  it('offers only the tools that are allowed', () => {
    const other = { type: 'function' as const, function: { name: 'other' } }
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'other' } }] }
    expect(
      sent({ tools: [weather, other], tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }),
    ).toMatchObject({
      tools: [{ name: 'other', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    })
  })

  it('asks in words where a forced call is refused, and lets the choice go before thinking', () => {
    const forced = { tools: [weather], tool_choice: 'required' as const }
    expect(sent(forced, { noForcedTools: true })).toMatchObject({
      tool_choice: { type: 'auto' },
      system: expect.stringContaining('calling one of the tools'),
    })
    expect(sent({ ...forced, reasoning_effort: 'high' })).not.toHaveProperty('thinking')
  })

  it('has a schema for JSON of a schema, closed and narrowed, and words for any JSON', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'Count' }, u: { oneOf: [{}, {}] } },
      required: ['n'],
    }
    expect(
      sent({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }),
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
    const words = sent({ response_format: { type: 'json_object' } })
    expect(words).toMatchObject({ system: expect.stringContaining('single JSON object') })
  })

  it.each([
    ['low', {}, { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } }],
    ['minimal', {}, { output_config: { effort: 'low' } }],
    ['none', {}, { thinking: { type: 'disabled' } }],
    ['none', { efforts: ['low', 'high'] }, { output_config: { effort: 'low' } }],
    ['xhigh', { efforts: ['none', 'low', 'high', 'max'] }, { output_config: { effort: 'high' } }],
    ['high', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 15_360 } }],
    ['low', { thinking: 'budget' }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
  ] as const)('with reasoning_effort %s and %j thinks so', (effort, quirks, expected) => {
    expect(sent({ reasoning_effort: effort, temperature: 0.5 }, quirks)).toMatchObject(expected)
  })

  it.each([
    [{ reasoning_effort: 'none' }, { thinking: 'budget' }],
    [{ reasoning_effort: 'high' }, { thinking: 'none' }],
    [{ reasoning_effort: 'high', max_tokens: 1500 }, { thinking: 'budget' }],
    [{}, {}],
  ] as const)('%j with %j does not ask for thinking', (request, quirks) => {
    expect(sent(request, quirks)).not.toHaveProperty('thinking')
  })

  it('takes a temperature up to 1, never with thinking, and none where the model refuses it', () => {
    expect(sent({ temperature: 1.7, top_p: 0.9 })).toMatchObject({ temperature: 1 })
    expect(sent({ temperature: 1.7, top_p: 0.9 })).not.toHaveProperty('top_p')
    expect(sent({ top_p: 0.9 })).toMatchObject({ top_p: 0.9 })
    expect(sent({ temperature: 0, reasoning_effort: 'high' })).not.toHaveProperty('temperature')
    expect(sent({ temperature: 0 }, { dropFields: ['temperature'] })).not.toHaveProperty('temperature')
  })

  it.each([
    [
      'arguments that are no object',
      { messages: [...hello, { role: 'assistant', tool_calls: [call('a', 'f', '[1]')] }] },
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
      'a file of the vendor’s',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    [
      'an image of a local file',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] },
        ],
      },
    ],
    ['a legacy function message', { messages: [...hello, { role: 'function', name: 'f', content: 'x' }] }],
    ['an unknown effort', { reasoning_effort: 'turbo' }],
  ])('with %s is refused as the client’s fault', (_, request) => {
    const failure = (() => {
      try {
        return sent(request as Partial<ChatRequest>)
      } catch (error) {
        return error
      }
    })()
    expect(failure).toBeInstanceOf(UpstreamFailure)
    expect(failure).toMatchObject({ kind: 'status', status: 400 })
  })
})

describe('thoughts before a tool call', () => {
  const answered = (id: string): ChatRequest['messages'] => [
    { role: 'user', content: 'Way to Bern?' },
    { role: 'assistant', content: 'Looking.', tool_calls: [call(id, 'find_route', '{"to":"Bern"}')] },
    { role: 'tool', tool_call_id: id, content: 'A1' },
  ]
  const thinks = { reasoning_effort: 'high' }

  it('come back signed and first when the call is answered, from a stream', () => {
    replay.stream('stream-thinking-tools')
    expect(sent({ messages: answered('toolu_01Thinks'), ...thinks }, { thinking: 'budget' })).toMatchObject({
      thinking: { type: 'enabled' },
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            {
              type: 'thinking',
              thinking: 'I should look at the map.',
              signature: expect.stringMatching(/^EqQB/),
            },
            { type: 'redacted_thinking', data: expect.stringMatching(/^Emw/) },
            { type: 'text', text: 'Looking.' },
            { type: 'tool_use', id: 'toolu_01Thinks' },
          ],
        },
        { role: 'user' },
      ],
    })
  })

  it('come back from a plain answer', () => {
    anthropicMessages.plainAnswer(
      replay.json('plain-thinking'),
      testTarget('http://127.0.0.1:1/v1'),
      replayDefaults,
    )
    expect(sent({ messages: answered('toolu_01Plain') })).toMatchObject({
      messages: [
        {},
        { content: [{ type: 'thinking', thinking: 'At the map.' }, {}, { type: 'tool_use' }] },
        {},
      ],
    })
  })

  it('that nobody remembers turn thinking off only where the model would refuse to go on', () => {
    const lost = { messages: answered('toolu_lost'), ...thinks }
    expect(sent(lost, { thinking: 'budget' })).not.toHaveProperty('thinking')
    expect(sent(lost)).toMatchObject({ thinking: { type: 'adaptive' } })
  })
})
