import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ChatCompletion, type ChatRequest } from '../../../shared/chat.ts'
import { testChunk, testTarget } from '../../upstream/testing/test-upstream.ts'
import { codecOf } from '../codecs.ts'
import type { ChatEvent } from '../events.ts'
import { isObject, parseJson } from '../json.ts'
import { SseReader } from '../sse.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { openaiChat } from './codec.ts'

const folder = fileURLToPath(new URL('./fixtures/', import.meta.url))
const fixture = (name: string): Buffer => readFileSync(`${folder}${name}.txt`)
const target = testTarget('http://127.0.0.1:1/v1')
const defaults = { id: 'chatcmpl-ours', created: 1, model: 'acme-large' }

function replay(...parts: Uint8Array[]): ChatEvent[] {
  const sse = new SseReader()
  const parser = openaiChat.streamParser(target, defaults)
  const items = [...parts.flatMap((part) => sse.read(part)), ...sse.end()]
  const events = items.flatMap((item) => (item.type === 'event' ? parser.event(item) : []))
  return [...events, ...parser.end()]
}

function frames(...values: unknown[]): ChatEvent[] {
  const text = values
    .map((value) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
    .join('')
  return replay(Buffer.from(text))
}

function textOf(events: ChatEvent[]): string {
  return events
    .flatMap((e) => (e.type === 'chunk' ? e.chunk.choices.map((c) => c.delta.content ?? '') : []))
    .join('')
}

function failureIn(events: ChatEvent[]): UpstreamFailure {
  const last = events.at(-1)
  if (last?.type !== 'failed') throw new Error(`the stream did not fail: ${JSON.stringify(last)}`)
  return last.failure
}

const streams = readdirSync(folder).filter((name) => name.startsWith('stream'))

describe('a recorded stream', () => {
  it.each(streams)('%s gives the same events however its bytes are split', (name) => {
    const bytes = readFileSync(folder + name)
    const whole = replay(bytes)
    expect(whole.filter((event) => event.type === 'done' || event.type === 'failed')).toHaveLength(1)
    for (let at = 1; at < bytes.length; at += 1) {
      const split = replay(bytes.subarray(0, at), bytes.subarray(at))
      if (JSON.stringify(split) !== JSON.stringify(whole)) expect(split, `split at ${at}`).toEqual(whole)
    }
  })

  it.each(['stream', 'stream-crlf', 'stream-cr', 'stream-comments', 'stream-no-final-newline', 'stream-bom'])(
    '%s gives its text, its usage once and its end',
    (name) => {
      const events = replay(fixture(name))
      expect(textOf(events)).toBe('Grüße aus 東京 🚆')
      expect(events.map((event) => event.type)).toEqual(['chunk', 'chunk', 'chunk', 'chunk', 'usage', 'done'])
      const usage = events.find((event) => event.type === 'usage')?.usage
      expect(usage?.buckets).toMatchObject({ input: 8, cacheRead: 4, output: 7, reasoning: 2 })
    },
  )

  it('keeps the payload of a chunk that needs no change', () => {
    const [first] = replay(fixture('stream'))
    if (first?.type !== 'chunk') throw new Error('no chunk')
    expect(first.raw).toBe(fixture('stream').toString('utf8').split('\n', 1)[0]?.slice('data: '.length))
  })

  it('does not keep a payload of several lines', () => {
    const [, second] = replay(fixture('stream-multiline'))
    expect(second).toMatchObject({
      type: 'chunk',
      raw: null,
      chunk: { choices: [{ delta: { content: 'Hi' } }] },
    })
  })

  it('takes usage off a chunk that has choices', () => {
    const events = replay(fixture('stream-usage-on-last-choice'))
    expect(events.map((event) => event.type)).toEqual(['chunk', 'chunk', 'chunk', 'usage', 'chunk', 'done'])
    const last = events[4]
    expect(last).toMatchObject({ raw: null, chunk: { choices: [{ finish_reason: 'stop' }] } })
    expect(last?.type === 'chunk' && 'usage' in last.chunk).toBe(false)
  })

  it('that was cut short is a failure', () => {
    expect(failureIn(replay(fixture('stream-cut')))).toMatchObject({ kind: 'malformed' })
    expect(failureIn(frames(testChunk({ role: 'assistant', content: 'Hal' })))).toMatchObject({
      kind: 'malformed',
    })
    expect(failureIn(replay(Buffer.from('')))).toMatchObject({ kind: 'malformed' })
  })

  it('without [DONE] is complete only when every choice has finished', () => {
    expect(replay(fixture('stream-no-done')).at(-1)).toEqual({ type: 'done' })
    const half = [testChunk({ content: 'a' }), testChunk({ content: 'b' }, null, 1), testChunk({}, 'stop')]
    expect(failureIn(frames(...half))).toMatchObject({ kind: 'malformed' })
    expect(frames(...half, testChunk({}, 'stop', 1)).at(-1)).toEqual({ type: 'done' })
  })

  it('with an error inside fails with the status that the error names', () => {
    expect(failureIn(replay(fixture('stream-error')))).toMatchObject({
      kind: 'status',
      status: 502,
      code: '502',
      message: "The model's host went away",
    })
    expect(failureIn(replay(fixture('stream-error-event')))).toMatchObject({
      kind: 'status',
      status: null,
      code: 'overloaded_error',
      message: 'Overloaded',
    })
  })

  it.each([
    ['invalid JSON', '{"choices":['],
    ['a page', '<html><body>Gateway</body></html>'],
    ['a number', '7'],
    ['null', 'null'],
  ])('with %s as data fails', (_, data) => {
    expect(failureIn(frames(testChunk({ content: 'a' }), data, '[DONE]'))).toMatchObject({
      kind: 'malformed',
    })
  })

  it('mends a chunk with missing or wrong fields', () => {
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

  it('gives nothing for a chunk without choices, and reads no further than its end', () => {
    const events = frames(
      { id: 'x' },
      testChunk({ content: 'a' }, 'stop'),
      '[DONE]',
      testChunk({ content: 'more' }),
    )
    expect(events.map((event) => event.type)).toEqual(['chunk', 'done'])
  })
})

describe('a plain answer', () => {
  const read = (name: string) =>
    openaiChat.plainAnswer(parseJson(fixture(name).toString('utf8')), target, defaults)

  it.each(['plain', 'plain-tools', 'plain-sparse'])('%s comes out in the format clients know', (name) => {
    const answer = read(name)
    if (answer instanceof UpstreamFailure) throw answer
    expect(() => ChatCompletion.parse(answer.completion)).not.toThrow()
  })

  it('has its text and its usage', () => {
    expect(read('plain')).toMatchObject({
      completion: {
        id: 'chatcmpl-B2',
        service_tier: 'default',
        choices: [{ message: { content: 'Grüße' } }],
      },
      usage: { buckets: { input: 8, cacheRead: 4, output: 7 } },
    })
  })

  it.each([
    ['cache-hits', { input: 36, cacheRead: 64, output: 20 }, null],
    ['cache-write', { input: 20, cacheRead: 30, cacheWrite5m: 50, output: 20 }, null],
    ['cost', { input: 100, output: 20 }, 0.00042],
    ['reasoning-on-top', { input: 100, output: 320, reasoning: 300 }, null],
    ['audio', { input: 20, audioInput: 80, output: 5, audioOutput: 15 }, null],
  ])('counts as its usage says: %s', (name, buckets, costUsd) => {
    expect(read(`plain-usage-${name}`)).toMatchObject({ usage: { buckets, costUsd } })
  })

  it.each(['garbage', 'none'])('has no usage where that is %s', (name) => {
    expect(read(`plain-usage-${name}`)).toMatchObject({ kind: 'plain', usage: null })
  })

  it('gets what it lacks', () => {
    expect(read('plain-sparse')).toMatchObject({
      completion: {
        id: 'chatcmpl-ours',
        created: 1,
        model: 'acme-large',
        choices: [{ index: 0, finish_reason: 'tool_calls', message: { tool_calls: [{ type: 'function' }] } }],
      },
      usage: null,
    })
    const answer = read('plain-sparse')
    const call =
      answer instanceof UpstreamFailure ? null : answer.completion.choices[0]?.message.tool_calls?.[0]
    expect(call?.function?.arguments).toBe('{"a":1}')
  })

  it.each([
    ['an array', []],
    ['no choices', { id: 'x' }],
    ['empty choices', { choices: [] }],
    ['a choice without a message', { choices: [{ text: 'a' }] }],
  ])('with %s is malformed', (_, body) => {
    expect(openaiChat.plainAnswer(body, target, defaults)).toMatchObject({ kind: 'malformed' })
  })

  it('that holds an error is that error', () => {
    const body = { error: { message: 'No credit', code: 402 } }
    expect(openaiChat.plainAnswer(body, target, defaults)).toMatchObject({
      kind: 'status',
      status: 402,
      message: 'No credit',
    })
  })
})

describe('a request', () => {
  const base: ChatRequest = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] }
  function sent(request: ChatRequest, quirks = {}): Record<string, unknown> {
    const value = parseJson(openaiChat.chatRequest(request, { ...target, quirks }).body)
    if (!isObject(value)) throw new Error('no object')
    return value
  }

  it('passes every field through and replaces the model', () => {
    expect(sent({ ...base, seed: 4, verbosity: 'low', user: null })).toEqual({
      model: 'acme-large',
      messages: base.messages,
      seed: 4,
      verbosity: 'low',
      user: null,
    })
  })

  it('asks for usage on every stream, and on no plain request', () => {
    const options = { include_usage: false, include_obfuscation: false }
    expect(sent({ ...base, stream: true, stream_options: options }).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    })
    expect(sent({ ...base, stream_options: { include_usage: true } })).not.toHaveProperty('stream_options')
    expect(sent({ ...base, stream: true }, { noStreamOptions: true })).not.toHaveProperty('stream_options')
  })
})

describe('an error body', () => {
  it.each([
    [
      '{"error":{"message":"Bad","type":"t","param":"p","code":"c"}}',
      { message: 'Bad', type: 't', param: 'p', code: 'c' },
    ],
    ['{"error":"Bad"}', { message: 'Bad', code: null }],
    ['{"message":"Bad","type":"t"}', { message: 'Bad', type: 't' }],
    ['[{"error":{"message":"Bad","code":429}}]', { message: 'Bad', code: '429' }],
    ['{"detail":[{"msg":"Bad"}]}', { message: '[{"msg":"Bad"}]' }],
    [
      '{"error":{"message":"Bad","details":{"error_code":"enforced_spend_limit_reached"}}}',
      { code: 'enforced_spend_limit_reached' },
    ],
    ['upstream connect error', { message: 'upstream connect error', code: null }],
    ['', { message: '' }],
    ['null', { message: '' }],
  ])('%s is understood', (text, expected) => {
    expect(openaiChat.errorBody(text)).toMatchObject(expected)
  })
})

describe('codecOf', () => {
  it('gives the codecs there are', () => {
    expect(codecOf('openai-chat')).toBe(openaiChat)
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
  const reasonOf = (finish: unknown, delta?: object) =>
    openaiChat
      .streamParser(testTarget(''), { id: 'c', created: 1, model: 'm' })
      .event({ type: 'event', event: null, data: JSON.stringify(chunk(finish, delta)) })
      .flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []))
      .map((choice) => choice.finish_reason)

  it.each([
    ['stop', 'stop'],
    ['function_call', 'function_call'],
    ['model_length', 'length'],
    ['eos', 'stop'],
    ['', null],
    [' ', null],
    [null, null],
    [5, null],
  ])('is one of the format’s own: %j', (said, told) => {
    expect(reasonOf(said)).toEqual([told])
  })

  it('says that calls were made where nobody knows the word', () => {
    const calls = { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }] }
    expect(reasonOf('done_calling', calls)).toEqual(['tool_calls'])
  })
})
