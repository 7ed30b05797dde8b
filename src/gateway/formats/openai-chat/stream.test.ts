import { describe, expect, it, test } from 'vitest'
import { testChunk, testTarget } from '../../upstream/testing/test-upstream.ts'
import type { ChatEvent } from '../chat/events.ts'
import { findFailure, Replay } from '../testing/replay.ts'
import { ChatStreamWriter } from './client/codec.ts'
import { openaiChat } from './codec.ts'

const replay = new Replay(openaiChat, 'openai-chat')

function frames(...values: unknown[]): ChatEvent[] {
  const text = values
    .map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
    .join('')
  return replay.events(Buffer.from(text))
}

describe('a recorded stream', () => {
  test('has one usage event', () => {
    const types = replay.stream('stream').map((event) => event.type)
    expect(types).toEqual(['chunk', 'chunk', 'chunk', 'chunk', 'usage', 'done'])
  })

  test('keeps the payload of an unchanged chunk', () => {
    const [first] = replay.stream('stream')
    if (first?.type !== 'chunk') throw new Error('no chunk')
    expect(first.raw).toBe(replay.text('stream').split('\n', 1)[0]?.slice('data: '.length))
  })

  test('discards a payload of several lines', () => {
    const [, second] = replay.stream('stream-multiline')
    expect(second).toMatchObject({
      type: 'chunk',
      raw: null,
      chunk: { choices: [{ delta: { content: 'Hi' } }] },
    })
  })

  test('separates usage from a chunk with choices', () => {
    const events = replay.stream('stream-usage-on-last-choice')
    expect(events.map((event) => event.type)).toEqual(['chunk', 'chunk', 'chunk', 'usage', 'chunk', 'done'])
    const last = events[4]
    expect(last).toMatchObject({ raw: null, chunk: { choices: [{ finish_reason: 'stop' }] } })
    expect(last?.type === 'chunk' && 'usage' in last.chunk).toBe(false)
  })

  test('that ends early is a failure', () => {
    expect(findFailure(replay.stream('stream-cut'))).toMatchObject({ kind: 'malformed' })
    expect(findFailure(frames(testChunk({ role: 'assistant', content: 'Hal' })))).toMatchObject({
      kind: 'malformed',
    })
    expect(findFailure(replay.events())).toMatchObject({ kind: 'malformed' })
  })

  test('without [DONE] is complete only when every choice has finished', () => {
    expect(replay.stream('stream-no-done').at(-1)).toEqual({ type: 'done' })
    const half = [testChunk({ content: 'a' }), testChunk({ content: 'b' }, null, 1), testChunk({}, 'stop')]
    expect(findFailure(frames(...half))).toMatchObject({ kind: 'malformed' })
    expect(frames(...half, testChunk({}, 'stop', 1)).at(-1)).toEqual({ type: 'done' })
  })

  test('with an error fails with the status in the error', () => {
    expect(findFailure(replay.stream('stream-error'))).toMatchObject({
      kind: 'status',
      status: 502,
      code: '502',
      message: "The model's host went away",
    })
    expect(findFailure(replay.stream('stream-error-event'))).toMatchObject({
      kind: 'status',
      status: null,
      code: 'overloaded_error',
      message: 'Overloaded',
    })
  })

  test.each([
    ['invalid JSON', '{"choices":['],
    ['a page', '<html><body>Gateway</body></html>'],
    ['a number', '7'],
    ['null', 'null'],
  ])('with %s as data fails', (_, data) => {
    expect(findFailure(frames(testChunk({ content: 'a' }), data, '[DONE]'))).toMatchObject({
      kind: 'malformed',
    })
  })

  test('repairs a chunk with missing or invalid fields', () => {
    const [event] = frames({ choices: [{ delta: { role: null, content: 'a', tool_calls: null } }] }, '[DONE]')
    expect(event).toEqual({
      type: 'chunk',
      raw: null,
      chunk: {
        id: '',
        object: 'chat.completion.chunk',
        created: 0,
        model: '',
        choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
      },
    })
  })

  test('ignores a chunk without choices and everything after the end', () => {
    const events = frames(
      { id: 'x' },
      testChunk({ content: 'a' }, 'stop'),
      '[DONE]',
      testChunk({ content: 'more' }),
    )
    expect(events.map((event) => event.type)).toEqual(['chunk', 'done'])
  })
})

describe('the finish reason of a chunk', () => {
  const chunk = (finish: unknown, delta: object = {}) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const getReason = (finish: unknown, delta?: object) =>
    openaiChat
      .streamParser(testTarget(''), { id: 'c', created: 1, model: 'm' })
      .event({ type: 'event', event: null, data: JSON.stringify(chunk(finish, delta)) })
      .flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []))
      .map((choice) => choice.finish_reason)

  test.each([
    ['stop', 'stop'],
    ['function_call', 'function_call'],
    ['model_length', 'length'],
    ['eos', 'stop'],
    ['', null],
    [' ', null],
    [null, null],
    [5, null],
  ])('is one of the format: %j', (value, expected) => {
    expect(getReason(value)).toEqual([expected])
  })

  test('is tool_calls for an unknown value after calls', () => {
    const calls = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] }
    expect(getReason('done_calling', calls)).toEqual(['tool_calls'])
  })
})

const target = testTarget('http://127.0.0.1:1')
const identity = { id: '', created: 0, model: '' }
const first = JSON.stringify(testChunk({ content: 'Hello' }))
const event = (data: string) => ({ type: 'event' as const, event: null, data })

/** The last event for these payloads, and the one of a stream that has only the last. */
function readLast(...payloads: string[]): [ChatEvent[], ChatEvent[]] {
  const stream = openaiChat.streamParser(target, identity)
  const events = payloads.map((data) => stream.event(event(data)))
  return [events.at(-1) ?? [], openaiChat.streamParser(target, identity).event(event(payloads.at(-1) ?? ''))]
}

const texts = [
  'a',
  '',
  'content',
  '\\n\\t\\"\\\\',
  '\\u00e9',
  '\\ud83d',
  '東京 🚆',
  '\u007f',
  '"',
  '\\x',
  '\\',
  'a\tb',
]
const texts2 = ['a","role":"assistant', 'a"},"b":{"c":"d', 'a"}']

it.each([...texts, ...texts2])('a chunk with another text is read as if it came alone: %j', (text) => {
  const [repeated, alone] = readLast(first, first.replace('Hello', 'more'), first.replace('Hello', text))
  expect(strip(repeated)).toEqual(strip(alone))
})

function strip(events: ChatEvent[]): object[] {
  return events.map((each) => (each.type === 'chunk' ? { ...each, pieces: undefined } : each))
}

const padded = (content: string, obfuscation: string) =>
  JSON.stringify({ ...testChunk({ content }), usage: null, obfuscation })
const meta = (content: string, other: string) =>
  JSON.stringify({ meta: { content: other }, ...testChunk({ content }) })
const twice = (one: string, two: string) => first.replace('"Hello"', `"${one}","content":"${two}"`)

it.each<[string, string[]]>([
  ['with padding', [padded('a', 'xyz'), padded('b', ''), padded('c', '12345')]],
  ['that lost its padding', [padded('a', 'xyz'), padded('b', 'z'), padded('c', '').replace('"}', '')]],
  ['with the text in another member', [meta('a', 'a'), meta('b', 'b'), meta('c', 'd')]],
  ['with another text in that member', [meta('a', 'a'), meta('a', 'b'), meta('a', 'c')]],
  ['that has the member twice', [twice('a', 'a'), twice('b', 'a'), twice('c', 'a')]],
  ['that ends before its text', [first, first, first.slice(0, first.indexOf('Hello'))]],
  ['that ends in its text', [first, first, first.slice(0, first.indexOf('llo'))]],
  ['that goes on', [first, first, `${first}}`]],
  ['of reasoning', ['a', 'b', 'c'].map((text) => JSON.stringify(testChunk({ reasoning_content: text })))],
  ['of both', ['a', 'b'].map((text) => JSON.stringify(testChunk({ content: text, reasoning: text })))],
  ['with spaces', ['a', 'b'].map((content) => JSON.stringify(testChunk({ content }), null, 1))],
])('a chunk %s is read as if it came alone', (_, payloads) => {
  const [repeated, alone] = readLast(...payloads)
  expect(strip(repeated)).toEqual(strip(alone))
})

it('chunks with padding are recognized as repeated', () => {
  const [events] = readLast(padded('a', 'xyz'), padded('b', 'z'), padded('c', '12345'))
  expect(events).toMatchObject([{ type: 'chunk', pieces: { texts: ['c', '12345'] } }])
})

it.each([true, false])('repeated chunks are written as any other; usage wanted: %j', (wantsUsage) => {
  const context = { requestId: 'req_1', model: 'ours', created: 5, body: {} }
  const writer = new ChatStreamWriter(context, wantsUsage)
  const stream = openaiChat.streamParser(target, identity)
  const payloads = [first, first, ...texts.slice(0, 8).map((text) => first.replace('Hello', text))]
  for (const data of [...payloads, padded('a', 'x'), padded('b', 'yz'), padded('id', 'model')]) {
    for (const each of stream.event(event(data))) {
      if (each.type !== 'chunk') throw new Error(`not a chunk: ${each.type}`)
      const alone = new ChatStreamWriter(context, wantsUsage).chunk(each.chunk, each.raw)
      expect(writer.chunk(each.chunk, each.raw, each.pieces)).toBe(alone)
    }
  }
})
