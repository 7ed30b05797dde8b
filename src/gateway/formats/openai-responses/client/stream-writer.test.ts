import { describe, expect, test } from 'vitest'
import { encodeSignedReasoning } from '../../chat/reasoning.ts'
import { openaiResponsesClient } from './codec.ts'
import {
  begins,
  chunk,
  continues,
  createContext,
  type Delta,
  getResponse,
  listTypes,
  read,
  signed,
  stream,
  usage,
} from './testing/stream.ts'

const TEXT_EVENTS = [
  'output_item.added',
  'content_part.added',
  'output_text.delta',
  'output_text.done',
  'content_part.done',
  'output_item.done',
]

describe('a stream', () => {
  test('has its events in order and numbered, and ends with the whole response', () => {
    const events = stream([{ role: 'assistant', content: '' }, { content: 'Hel' }, { content: 'lo' }])
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.map(({ type }) => type).slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(listTypes(events)).toEqual(TEXT_EVENTS.toSpliced(3, 0, 'output_text.delta'))
    const position = { item_id: 'msg_1_0', output_index: 0, content_index: 0 }
    expect(events[4]).toEqual({
      ...{ type: 'response.output_text.delta', sequence_number: 4 },
      ...position,
      delta: 'Hel',
      logprobs: [],
    })
    const part = { type: 'output_text', text: 'Hello', annotations: [], logprobs: [] }
    expect(events[7]).toMatchObject({ ...position, part })
    const item = { id: 'msg_1_0', type: 'message', status: 'completed', role: 'assistant', content: [part] }
    expect(events[8]).toMatchObject({ output_index: 0, item })
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [item] } })
  })

  test('has the same response as a plain answer', () => {
    const deltas: Delta[] = [
      { reasoning_content: 'Hm' },
      { signed_reasoning: [signed], content: 'So' },
      begins(0, 'a', 'look', '{}'),
    ]
    const body = { store: false }
    const message = {
      role: 'assistant' as const,
      content: 'So',
      reasoning_content: 'Hm',
      signed_reasoning: [signed],
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    }
    const plain = openaiResponsesClient.answerBody(
      {
        ...{ id: 'x', object: 'chat.completion', created: 7, model: 'x' },
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      },
      usage,
      createContext(body),
    )
    expect(getResponse(stream(deltas, 'tool_calls', body))).toEqual(plain)
  })

  test('has several parallel calls, whose pieces may alternate', () => {
    const events = stream(
      [begins(0, 'a', 'look'), begins(1, 'b', 'find', '{"q"'), continues(0, '{}'), continues(1, ':1}')],
      'tool_calls',
    )
    expect(getResponse(events).output).toMatchObject([
      {
        id: 'fc_1_0',
        type: 'function_call',
        call_id: 'a',
        name: 'look',
        arguments: '{}',
        status: 'completed',
      },
      { id: 'fc_1_1', type: 'function_call', call_id: 'b', name: 'find', arguments: '{"q":1}' },
    ])
    expect(listTypes(events)).toEqual([
      'output_item.added',
      'output_item.added',
      ...Array(3).fill('function_call_arguments.delta'),
      ...['function_call_arguments.done', 'output_item.done'],
      ...['function_call_arguments.done', 'output_item.done'],
    ])
  })

  test('has reasoning, with what was signed if the client asks for it or does not let it be stored', () => {
    const deltas: Delta[] = [
      { reasoning_content: 'Hm' },
      { signed_reasoning: [signed], reasoning_content: 'Also' },
      { content: 'So' },
    ]
    const types = (part: string) => [`${part}.added`, 'delta', 'done', `${part}.done`]
    const reasoning = [
      'output_item.added',
      ...types('reasoning_summary_part').map((name) =>
        name.includes('.') ? name : `reasoning_summary_text.${name}`,
      ),
      'output_item.done',
    ]
    expect(listTypes(stream(deltas))).toEqual([...reasoning, ...reasoning, ...TEXT_EVENTS])
    const encrypted_content = encodeSignedReasoning(signed)
    const [first, second] = getResponse(stream(deltas, 'stop', { store: false })).output
    expect(first).toEqual({
      id: 'rs_1_0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm' }],
      encrypted_content,
    })
    const unsigned = { format: 'openai-chat' as const, data: { reasoning_content: 'Also' } }
    expect(second.encrypted_content).toBe(encodeSignedReasoning(unsigned))
    const asked = { include: ['reasoning.encrypted_content'] }
    expect(getResponse(stream(deltas, 'stop', asked)).output[0]).toMatchObject({ encrypted_content })
    expect(getResponse(stream(deltas)).output[0]).not.toHaveProperty('encrypted_content')
  })

  test('has refusals, citations and log probabilities', () => {
    const url = { url: 'https://x', title: 'X', start_index: 0, end_index: 2 }
    const citation = { type: 'url_citation', ...url }
    const events = stream([
      { content: 'So', annotations: [{ type: 'url_citation', url_citation: url }] },
      { refusal: 'No' },
    ])
    expect(getResponse(events).output[0].content).toEqual([
      { type: 'output_text', text: 'So', annotations: [citation], logprobs: [] },
      { type: 'refusal', refusal: 'No' },
    ])
    expect(listTypes(events)).toContain('output_text.annotation.added')
    expect(listTypes(events)).toContain('refusal.done')
    const writer = openaiResponsesClient.streamWriter(createContext({}))
    const token = { token: 'So', logprob: -1, bytes: [1], top_logprobs: [] }
    const [choice] = chunk({ content: 'So' }).choices
    const text = writer.chunk(
      { ...chunk({}), choices: [{ ...Object(choice), logprobs: { content: [token] } }] },
      null,
    )
    expect(read(text).at(-1)).toMatchObject({ delta: 'So', logprobs: [token] })
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('that ends with %s is incomplete', (finish, reason) => {
    const events = stream([{ content: 'So' }], finish)
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason }, output: [{ status: 'incomplete' }] },
    })
  })
})

test('the response repeats the request and has usage with its cost', () => {
  const tools = [{ type: 'function', name: 'f' }]
  const response = getResponse(
    stream([{ content: 'So' }], 'stop', { tools, temperature: 0.1, metadata: { a: 'b' } }),
  )
  expect(response).toMatchObject({
    id: 'resp_1',
    model: 'served',
    created_at: 7,
    completed_at: 7,
    temperature: 0.1,
    metadata: { a: 'b' },
    tools: [{ type: 'function', name: 'f', description: null, parameters: null, strict: false }],
    text: { format: { type: 'text' } },
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 15,
      cost: 0.5,
    },
  })
})

test('a failure is an error event and a failed response', () => {
  const writer = openaiResponsesClient.streamWriter(createContext({}))
  const begun = writer.chunk(chunk({ content: 'So' }), null)
  const message = 'The cap is reached.'
  const error = { type: 'insufficient_quota' as const, code: 'spend_limit_reached', message }
  const events = read(begun + writer.fail(error, 402))
  const details = { code: 'spend_limit_reached', message, param: null }
  expect(events.slice(-2)).toMatchObject([
    { type: 'error', ...details, error: { type: 'insufficient_quota', ...details } },
    {
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'insufficient_quota', message }, usage: null },
    },
  ])
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
})

test('errors have OpenAI’s envelope, with the names of this API', () => {
  const error = { type: 'invalid_request_error' as const, message: 'No.', param: 'messages[0].content' }
  expect(openaiResponsesClient.errorBody(error, 400, 'req_1')).toEqual({
    error: { type: 'invalid_request_error', message: 'No.', param: 'input', code: null },
  })
})
