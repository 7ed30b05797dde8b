import { describe, expect, test } from 'vitest'
import type { ChatCompletion } from '../../../../shared/formats/chat-completion.ts'
import { encodeSignedReasoning } from '../../chat/reasoning.ts'
import { anthropicMessagesClient } from './codec.ts'

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

function answer(choice: object, body: object = {}, counts: object = {}) {
  const completion: ChatCompletion = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'upstream',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop', ...choice }],
  }
  const context = { requestId: 'req_1', model: 'acme', created: 1, body: { ...body } }
  return anthropicMessagesClient.answerBody(completion, { ...usage, ...counts }, context)
}

const says = (message: object) => ({ message: { role: 'assistant', content: null, ...message } })

describe('a message', () => {
  test('has the id of the request, the model, text and usage', () => {
    expect(answer(says({ content: 'Hello.' }), {}, { cost: 0.25 })).toEqual({
      id: 'req_1',
      type: 'message',
      role: 'assistant',
      model: 'acme',
      content: [{ type: 'text', text: 'Hello.', citations: [] }],
      container: null,
      diagnostics: null,
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: null,
        output_tokens: 5,
        output_tokens_details: null,
        server_tool_use: null,
        service_tier: null,
        inference_geo: null,
        speed: null,
        cost: 0.25,
      },
    })
    expect(answer({}).content).toEqual([])
  })

  test('counts the cache apart from the input, and reasoning in the output', () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 17,
    }
    expect(answer({}, {}, details).usage).toMatchObject({
      input_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 3,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 },
    })
  })

  test.each([
    ['stop', {}, { stop_reason: 'end_turn' }],
    ['length', {}, { stop_reason: 'max_tokens' }],
    ['tool_calls', {}, { stop_reason: 'tool_use' }],
    ['content_filter', {}, { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: null } }],
    ['stop', { stop_reason: 'END' }, { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
    ['stop', { stop_reason: 'other' }, { stop_reason: 'end_turn', stop_sequence: null }],
  ])('that ends with %s %j has %j', (finish_reason, more, expected) => {
    expect(answer({ finish_reason, ...more }, { stop_sequences: ['END'] })).toMatchObject(expected)
  })

  test('shows a refusal', () => {
    expect(answer(says({ refusal: 'No.' }))).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', explanation: 'No.' },
    })
  })
})

describe('the blocks of a message', () => {
  const thinks = { thinking: { type: 'adaptive' } }
  const gemini = { format: 'gemini-generate' as const, data: { thoughtSignature: 'x' } }
  const own = { type: 'thinking', thinking: 'Own.', signature: 'EqQB' }
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const caller = { type: 'direct' }

  test('are thinking, text and calls, each call after its own thinking', () => {
    const message = {
      content: 'Hello.',
      reasoning_content: 'Hm.',
      signed_reasoning: [gemini, { format: 'anthropic-messages', data: own, call_id: 'b' }],
      tool_calls: [call('a', ''), call('b', '{"x":1}')],
    }
    expect(answer(says(message), thinks).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: encodeSignedReasoning(gemini) },
      { type: 'text', text: 'Hello.', citations: [] },
      { type: 'tool_use', id: 'a', name: 'f', input: {}, caller },
      own,
      { type: 'tool_use', id: 'b', name: 'f', input: { x: 1 }, caller },
    ])
  })

  test('have no thinking for a client that asks for none', () => {
    const message = { content: 'Hello.', reasoning_content: 'Hm.' }
    const text = { type: 'text', text: 'Hello.', citations: [] }
    expect(answer(says(message)).content).toEqual([text])
    expect(answer(says(message), { thinking: { type: 'disabled' } }).content).toEqual([text])
    expect(answer(says(message), thinks).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      text,
    ])
  })
})

describe('an error', () => {
  const error = { type: 'upstream_error' as const, message: 'What to do.' }

  test.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [402, 'billing_error'],
    [403, 'permission_error'],
    [404, 'not_found_error'],
    [405, 'invalid_request_error'],
    [408, 'timeout_error'],
    [413, 'request_too_large'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [502, 'api_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
  ])('with status %i is a %s', (status, type) => {
    expect(anthropicMessagesClient.errorBody(error, status, 'req_1')).toEqual({
      type: 'error',
      error: { type, message: 'What to do.' },
      request_id: 'req_1',
    })
  })

  test('has its code and field in the details', () => {
    const more = { code: 'not_supported_by_provider', param: 'tools[0].type' }
    expect(anthropicMessagesClient.errorBody({ ...error, ...more }, 400, 'req_1')).toMatchObject({
      error: { details: { error_code: 'not_supported_by_provider', param: 'tools[0].type' } },
    })
    expect(
      anthropicMessagesClient.errorBody({ ...error, ...more, param: 'thread' }, 400, 'req_1'),
    ).toMatchObject({ error: { details: { error_code: 'thread_unsupported_request' } } })
  })
})
