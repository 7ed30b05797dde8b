import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { ReasoningSignatureCache } from '../chat/reasoning.ts'
import { openaiResponses } from './codec.ts'
import { encodeMessages, replay } from './testing/encode.ts'

type Messages = ChatRequest['messages']

const user: Messages[number] = { role: 'user', content: 'Weather?' }
const call = (id: string) => ({ id, type: 'function', function: { name: 'look_up', arguments: '{"a":1}' } })
const result = (id: string): Messages[number] => ({ role: 'tool', tool_call_id: id, content: 'sunny' })
const reasoning = (id: string) => ({
  type: 'reasoning',
  id,
  summary: [{ type: 'summary_text', text: 'Thought.' }],
  encrypted_content: `secret of ${id}`,
})
const signed = (id: string, callId?: string) => ({
  format: 'openai-responses',
  data: reasoning(id),
  ...(callId !== undefined && { call_id: callId }),
})
const types = (input: unknown) =>
  Array.isArray(input) ? input.map(({ type, id, call_id }) => id ?? call_id ?? type) : input

describe('messages', () => {
  test('keep their role and text', () => {
    const messages: Messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
      user,
      { role: 'assistant', content: 'Beau.' },
    ]
    expect(encodeMessages(messages)).toEqual([
      { type: 'message', role: 'system', content: 'Be brief.' },
      { type: 'message', role: 'developer', content: 'In French.' },
      { type: 'message', role: 'user', content: 'Weather?' },
      { type: 'message', role: 'assistant', content: 'Beau.' },
    ])
  })

  test('have images and files', () => {
    const mark = { prompt_cache_breakpoint: { mode: 'explicit' } }
    const content = [
      { type: 'text' as const, text: 'See', ...mark },
      { type: 'image_url' as const, image_url: { url: 'https://x.example/a.png', detail: 'low' } },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AA==' } },
      { type: 'file' as const, file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
      { type: 'file' as const, file: { file_id: 'file-1' } },
    ]
    expect(encodeMessages([{ role: 'user', content }])).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'See', ...mark },
          { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'low' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
          { type: 'input_file', file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'input_file', file_id: 'file-1' },
        ],
      },
    ])
  })

  test('of assistants join their texts and refusals', () => {
    const content = [
      { type: 'text' as const, text: 'One' },
      { type: 'refusal' as const, refusal: 'No' },
    ]
    expect(encodeMessages([user, { role: 'assistant', content }])).toMatchObject([{}, { content: 'One\nNo' }])
    expect(encodeMessages([user, { role: 'assistant', content: null, refusal: 'No' }])).toMatchObject([
      {},
      { content: 'No' },
    ])
    expect(encodeMessages([user, { role: 'assistant', content: '' }])).toHaveLength(1)
  })

  test.each<[string, Messages[number]]>([
    [
      'audio',
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }] },
    ],
    ['role "function"', { role: 'function', name: 'f', content: 'x' }],
    ['text only', { role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'https://x' } }] }],
  ])('with %s are refused', (text, message) => {
    expect(() => encodeMessages([message])).toThrow(
      expect.objectContaining({ status: 400, param: 'messages' }),
    )
    expect(() => encodeMessages([message])).toThrow(text)
  })
})

describe('tool calls and their results', () => {
  test('are items of their own', () => {
    const custom = { id: 'c2', type: 'custom', custom: { name: 'shell', input: 'ls' } }
    const picture = { type: 'image_url' as const, image_url: { url: 'https://x.example/a.png' } }
    const messages: Messages = [
      user,
      { role: 'assistant', content: 'I look.', tool_calls: [call('c1'), custom] },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'sunny' }, picture] },
      {
        role: 'tool',
        tool_call_id: 'c2',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]
    expect(encodeMessages(messages)).toEqual([
      { type: 'message', role: 'user', content: 'Weather?' },
      { type: 'message', role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'shell', input: 'ls' },
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'sunny' },
          { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'auto' },
        ],
      },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'a\nb' },
    ])
  })

  test('have ids of at most 64 characters, and arguments', () => {
    const id = `call_${'x'.repeat(80)}1`
    const empty = { id, type: 'function', function: { name: 'f', arguments: ' ' } }
    const input = encodeMessages([user, { role: 'assistant', tool_calls: [empty] }, result(id)])
    expect(input).toMatchObject([{}, { call_id: id.slice(-64), arguments: '{}' }, { call_id: id.slice(-64) }])
  })
})

describe('reasoning', () => {
  test('that the client sends back precedes its output', () => {
    const messages: Messages = [
      user,
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [call('c1'), call('c2')],
        signed_reasoning: [signed('rs_1'), signed('rs_2', 'c2'), { format: 'anthropic-messages', data: {} }],
      },
      result('c1'),
      result('c2'),
    ]
    expect(types(encodeMessages(messages))).toEqual([
      ...['message', 'rs_1', 'message', 'c1', 'rs_2', 'c2', 'c1', 'c2'],
    ])
  })

  test('without its output, or without content, is left out', () => {
    const alone: Messages[number] = { role: 'assistant', content: null, signed_reasoning: [signed('rs_1')] }
    expect(encodeMessages([user, alone, user])).toHaveLength(2)
    const { encrypted_content: _, ...bare } = reasoning('rs_1')
    const entry = { format: 'openai-responses', data: bare }
    expect(
      encodeMessages([user, { role: 'assistant', content: 'Hi', signed_reasoning: [entry] }]),
    ).toHaveLength(2)
  })

  test('is not sent to a model that does not reason', () => {
    const message: Messages[number] = { role: 'assistant', content: 'Hi', signed_reasoning: [signed('rs_1')] }
    expect(encodeMessages([user, message], { quirks: { thinking: 'none' } })).toHaveLength(2)
  })

  test('is remembered by tool call, with the place and phase of the text', () => {
    const signatures = new ReasoningSignatureCache().scopeTo('key_1', 'openai-responses')
    const message = (phase: string) => ({
      type: 'message',
      role: 'assistant',
      phase,
      content: [{ type: 'output_text', text: 'I look.' }],
    })
    const output = [
      reasoning('rs_1'),
      message('commentary'),
      reasoning('rs_2'),
      { type: 'function_call', call_id: 'c1', name: 'look_up', arguments: '{}' },
      { type: 'function_call', call_id: 'c2', name: 'look_up', arguments: '{}' },
      reasoning('rs_3'),
      { type: 'custom_tool_call', call_id: 'c3', name: 'shell', input: 'ls' },
    ]
    const target = { ...replay.target, signatures }
    const answer = openaiResponses.plainAnswer({ output }, target, { id: 'x', created: 1, model: 'm' })
    expect(answer).toMatchObject({
      completion: {
        choices: [
          {
            message: { signed_reasoning: [signed('rs_1'), signed('rs_2', 'c1'), signed('rs_3', 'c3')] },
          },
        ],
      },
    })
    const c3 = { id: 'c3', type: 'custom', custom: { name: 'shell', input: 'ls' } }
    const turn: Messages = [
      user,
      { role: 'assistant', content: 'I look.', tool_calls: [call('c1'), call('c2'), c3] },
      ...['c1', 'c2', 'c3'].map(result),
    ]
    const input = encodeMessages(turn, { signatures })
    expect(types(input)).toEqual([
      ...['message', 'rs_1', 'message', 'rs_2', 'c1', 'c2', 'rs_3', 'c3', 'c1', 'c2', 'c3'],
    ])
    expect(input).toContainEqual(expect.objectContaining({ role: 'assistant', phase: 'commentary' }))
    const silent: Messages = [
      user,
      { role: 'assistant', content: null, tool_calls: [call('c1')] },
      result('c1'),
    ]
    expect(types(encodeMessages(silent, { signatures }))).toEqual(['message', 'rs_2', 'c1', 'c1'])
  })
})
