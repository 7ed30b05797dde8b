import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { hello, PIXEL, replayDefaults, toolCall } from '../testing/replay.ts'
import { anthropicMessages } from './codec.ts'
import { encode, replay } from './testing/encode.ts'

describe('a conversation', () => {
  test('puts all results of parallel calls at the start of one user turn', () => {
    const messages: ChatRequest['messages'] = [
      { role: 'user', content: 'Weather and time?' },
      {
        role: 'assistant',
        content: 'Both.',
        tool_calls: [
          toolCall('toolu_1', 'get_weather', '{"city":"Rom"}'),
          toolCall('call:2', 'get_time', ''),
        ],
      },
      { role: 'tool', tool_call_id: 'toolu_1', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call:2', content: [{ type: 'text', text: '12:00' }] },
      { role: 'user', content: 'And?' },
    ]
    expect(encode({ messages })).toMatchObject({
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

  test('sends images as data or URLs, and documents', () => {
    const content: ChatRequest['messages'][number]['content'] = [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png', detail: 'low' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]
    expect(encode({ messages: [{ role: 'user', content }] })).toMatchObject({
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
})

describe('the thinking before a tool call', () => {
  const answered = (id: string): ChatRequest['messages'] => [
    { role: 'user', content: 'Way to Bern?' },
    { role: 'assistant', content: 'Looking.', tool_calls: [toolCall(id, 'find_route', '{"to":"Bern"}')] },
    { role: 'tool', tool_call_id: id, content: 'A1' },
  ]
  const thinks = { reasoning_effort: 'high' }

  test('is restored, signed and first, from a stream', () => {
    replay.stream('stream-thinking-tools')
    expect(encode({ messages: answered('toolu_01Thinks'), ...thinks }, { thinking: 'budget' })).toMatchObject(
      {
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
      },
    )
  })

  test('is restored from a plain answer', () => {
    anthropicMessages.plainAnswer(replay.json('plain-thinking'), replay.target, replayDefaults)
    expect(encode({ messages: answered('toolu_01Plain') })).toMatchObject({
      messages: [
        {},
        { content: [{ type: 'thinking', thinking: 'At the map.' }, {}, { type: 'tool_use' }] },
        {},
      ],
    })
  })

  test('disables thinking if it is unknown and the model would reject the request', () => {
    const lost = { messages: answered('toolu_lost'), ...thinks }
    expect(encode(lost, { thinking: 'budget' })).not.toHaveProperty('thinking')
    expect(encode(lost)).toMatchObject({ thinking: { type: 'adaptive' } })
  })

  test('is what the client sent back, before the call or the text that it precedes', () => {
    const signed = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature })
    const signed_reasoning = [
      { format: 'anthropic-messages', data: signed('first') },
      { format: 'anthropic-messages', data: signed('second'), call_id: 'toolu_B' },
      { format: 'gemini-generate', data: { thoughtSignature: 'x' }, call_id: 'toolu_B' },
      { format: 'anthropic-messages', data: { type: 'thinking', thinking: 'unsigned' } },
    ]
    const tool_calls = [toolCall('toolu_A', 'get_weather'), toolCall('toolu_B', 'get_weather')]
    const messages: ChatRequest['messages'] = [
      ...hello,
      { role: 'assistant', content: 'Both.', signed_reasoning, tool_calls },
      { role: 'tool', tool_call_id: 'toolu_A', content: '1' },
      { role: 'tool', tool_call_id: 'toolu_B', content: '2' },
    ]
    expect(encode({ messages })).toMatchObject({
      messages: [
        {},
        {
          content: [
            signed('first'),
            { type: 'text', text: 'Both.' },
            { type: 'tool_use', id: 'toolu_A' },
            signed('second'),
            { type: 'tool_use', id: 'toolu_B' },
          ],
        },
        {},
      ],
    })
  })
})
