import { describe, expect, test } from 'vitest'
import { encodeSignedReasoning } from '../../chat/reasoning.ts'
import { anthropicMessagesClient } from './codec.ts'
import { readEvents, type SentEvent } from './testing/events.ts'

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0.25 }
const context = {
  requestId: 'req_1',
  model: 'acme',
  created: 1,
  body: { thinking: { type: 'adaptive' }, stop_sequences: ['END'] },
}

function createChunk(delta: object, finishReason: string | null = null, more: object = {}) {
  const choice = { index: 0, delta: { ...delta }, finish_reason: finishReason, ...more }
  return { id: 'x', object: 'chat.completion.chunk' as const, created: 1, model: 'x', choices: [choice] }
}

/** The events of a complete stream of these deltas, the last with its finish reason. */
function write(deltas: readonly object[], finishReason = 'stop', more: object = {}, body = {}): SentEvent[] {
  const writer = anthropicMessagesClient.streamWriter({ ...context, body: { ...context.body, ...body } })
  const texts = deltas.map((delta) => writer.chunk(createChunk(delta), null))
  texts.push(writer.chunk(createChunk({}, finishReason, more), null), writer.end(usage))
  return readEvents(texts.join(''))
}

/** The blocks as a client assembles them. Throws unless they follow one another. */
function readBlocks(events: readonly SentEvent[]): unknown[] {
  const blocks: Record<string, unknown>[] = []
  let open = -1
  for (const { event, data } of events) {
    const { index, content_block: block, delta } = Object(data)
    if (event === 'content_block_start') {
      expect([open, index]).toEqual([-1, blocks.length])
      open = index
      blocks.push({ ...block })
    }
    if (event === 'content_block_delta') {
      expect(index).toBe(open)
      const { type, ...values } = delta
      const last = blocks.at(-1) ?? {}
      for (const [name, value] of Object.entries(values)) last[name] = `${last[name] ?? ''}${value}`
    }
    if (event === 'content_block_stop') {
      expect(index).toBe(open)
      open = -1
    }
  }
  expect(open).toBe(-1)
  return blocks
}

const call = (index: number, id: string, args = '') => ({
  tool_calls: [{ index, id, type: 'function', function: { name: `f_${id}`, arguments: args } }],
})
const args = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] })

describe('a stream', () => {
  test('has Anthropic’s events, and the usage and cost at its end', () => {
    const events = write([{ role: 'assistant', content: '' }, { content: 'Hel' }, { content: 'lo.' }])
    expect(events.map(({ event }) => event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(events.every(({ event, data }) => Object(data).type === event)).toBe(true)
    expect(events[0]?.data).toMatchObject({
      message: { id: 'req_1', type: 'message', model: 'acme', content: [], usage: { input_tokens: 0 } },
    })
    expect(readBlocks(events)).toEqual([{ type: 'text', text: 'Hello.', citations: [] }])
    expect(events.at(-2)?.data).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 5,
        output_tokens_details: null,
        server_tool_use: null,
        cost: 0.25,
      },
    })
  })

  test('without output has no block', () => {
    expect(readBlocks(write([{ content: '' }]))).toEqual([])
  })

  test.each([
    ['length', {}, { stop_reason: 'max_tokens' }],
    ['tool_calls', {}, { stop_reason: 'tool_use' }],
    ['content_filter', {}, { stop_reason: 'refusal' }],
    ['stop', { stop_reason: 'END' }, { stop_reason: 'stop_sequence', stop_sequence: 'END' }],
  ])('that ends with %s %j has %j', (finish, more, expected) => {
    expect(write([], finish, more).at(-2)?.data).toMatchObject({ delta: expected })
  })

  test('shows a refusal', () => {
    const events = write([{ refusal: 'No' }, { refusal: '.' }])
    expect(readBlocks(events)).toMatchObject([{ type: 'text', text: 'No.' }])
    expect(events.at(-2)?.data).toMatchObject({
      delta: { stop_reason: 'refusal', stop_details: { type: 'refusal', explanation: 'No.' } },
    })
  })

  test('that fails ends with an error event', () => {
    const writer = anthropicMessagesClient.streamWriter(context)
    writer.chunk(createChunk({ content: 'Hel' }), null)
    const error = {
      type: 'insufficient_quota' as const,
      message: 'Raise the cap.',
      code: 'spend_limit_reached',
    }
    expect(readEvents(writer.fail(error, 402))).toEqual([
      {
        event: 'error',
        data: {
          type: 'error',
          error: {
            type: 'billing_error',
            message: 'Raise the cap.',
            details: { error_code: 'spend_limit_reached' },
          },
          request_id: 'req_1',
        },
      },
    ])
  })
})

describe('tool calls of a stream', () => {
  test('follow one another, however their pieces come', () => {
    const pieces = [
      call(0, 'a'),
      call(1, 'b'),
      args(1, '{"y":'),
      args(0, '{"x"'),
      args(1, '2}'),
      args(0, ':1}'),
    ]
    expect(readBlocks(write(pieces, 'tool_calls'))).toMatchObject([
      { type: 'tool_use', id: 'a', name: 'f_a', partial_json: '{"x":1}' },
      { type: 'tool_use', id: 'b', name: 'f_b', partial_json: '{"y":2}' },
    ])
  })

  test('are sent as they come when one follows the other', () => {
    const writer = anthropicMessagesClient.streamWriter(context)
    const send = (delta: object) =>
      readEvents(writer.chunk(createChunk(delta), null)).map(({ event }) => event)
    send(call(0, 'a', '{"x":'))
    expect(send(args(0, '1}'))).toEqual(['content_block_delta'])
    expect(send(call(1, 'b'))).toEqual(['content_block_stop', 'content_block_start'])
    expect(send(args(1, '{'))).toEqual(['content_block_delta'])
  })

  test('come between texts', () => {
    const deltas = [{ content: 'One.' }, call(0, 'a', '{'), { content: 'Two.' }, args(0, '}')]
    expect(readBlocks(write(deltas))).toMatchObject([
      { type: 'text', text: 'One.' },
      { type: 'tool_use', partial_json: '{}' },
      { type: 'text', text: 'Two.' },
    ])
    const whole = [call(0, 'a', '{}'), { content: 'Two.' }, call(1, 'b', '{}')]
    expect(readBlocks(write(whole))).toMatchObject([{ id: 'a' }, { text: 'Two.' }, { id: 'b' }])
  })

  test('without arguments have an empty input', () => {
    const [block] = readBlocks(write([call(0, 'a')]))
    expect(block).toMatchObject({ type: 'tool_use', input: {} })
    expect(block).not.toHaveProperty('partial_json')
  })
})

describe('thinking in a stream', () => {
  const gemini = { format: 'gemini-generate' as const, data: { thoughtSignature: 'x' } }
  const redacted = { type: 'redacted_thinking', data: 'Emw' }

  test('is signed by what the provider signed it with', () => {
    const deltas = [{ reasoning_content: 'H' }, { reasoning_content: 'm.' }, { signed_reasoning: [gemini] }]
    expect(readBlocks(write([...deltas, { content: 'Hello.' }]))).toMatchObject([
      { type: 'thinking', thinking: 'Hm.', signature: encodeSignedReasoning(gemini) },
      { type: 'text', text: 'Hello.' },
    ])
  })

  test('of Anthropic is as Anthropic wrote it', () => {
    const data = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
    const signed_reasoning = [data, redacted].map((each) => ({ format: 'anthropic-messages', data: each }))
    expect(readBlocks(write([{ reasoning_content: 'Hm.' }, { signed_reasoning }]))).toEqual([data, redacted])
    expect(readBlocks(write([{ signed_reasoning }]))).toEqual([data, redacted])
  })

  test('comes directly before the call that it belongs to', () => {
    const signed = (id: string) => ({ signed_reasoning: [{ ...gemini, call_id: id }] })
    const deltas = [
      { reasoning_content: 'Hm.' },
      { ...signed('a'), ...call(0, 'a') },
      { ...signed('b'), ...call(1, 'b', '{}') },
      args(0, '{}'),
    ]
    expect(readBlocks(write(deltas))).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', id: 'a' },
      { type: 'thinking', thinking: '', signature: encodeSignedReasoning(gemini) },
      { type: 'tool_use', id: 'b' },
    ])
  })

  test('is also the signature in a call', () => {
    const [piece] = call(0, 'a', '{}').tool_calls
    const extra_content = { google: { thought_signature: 'x' } }
    const signature = encodeSignedReasoning({ ...gemini, data: { thoughtSignature: 'x', ofCall: true } })
    expect(readBlocks(write([{ tool_calls: [{ ...piece, extra_content }] }]))).toMatchObject([
      { type: 'thinking', thinking: '', signature },
      { type: 'tool_use', id: 'a' },
    ])
  })

  test('is left out for a client that asks for none', () => {
    const deltas = [{ reasoning_content: 'Hm.' }, { signed_reasoning: [gemini] }, { content: 'Hello.' }]
    expect(readBlocks(write(deltas, 'stop', {}, { thinking: null }))).toMatchObject([{ text: 'Hello.' }])
  })
})

test('a provider’s own stream ends with message_stop, whether or not the provider sent it', () => {
  const end = (...data: string[]) => {
    const writer = anthropicMessagesClient.streamWriter(context)
    for (const each of data) expect(writer.nativeEvent?.(each)).toBeNull()
    return writer.nativeEnd?.()
  }
  expect(end('{"type":"message_delta"}', '{"type":"message_stop"}')).toBe('')
  const text = '{"type":"content_block_delta","delta":{"type":"text_delta","text":"message_stop"}}'
  expect(end(text)).toBe('event: message_stop\ndata: {"type":"message_stop"}\n\n')
})
