import { describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { ChatCompletion } from '../../../shared/formats/chat-completion.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { isObject, parseJson } from '../json/json.ts'
import { Replay, replayDefaults } from '../testing/replay.ts'
import { openaiChat } from './codec.ts'

const replay = new Replay(openaiChat, 'openai-chat')
const { target } = replay

describe('a plain answer', () => {
  const read = (name: string) => openaiChat.plainAnswer(replay.json(name), target, replayDefaults)

  test.each(['plain-sparse'])('%s is valid in the clients’ format', (name) => {
    const answer = read(name)
    if (answer instanceof UpstreamFailure) throw answer
    expect(() => ChatCompletion.parse(answer.completion)).not.toThrow()
  })

  test('has text and usage', () => {
    expect(read('plain')).toMatchObject({
      completion: {
        id: 'chatcmpl-B2',
        service_tier: 'default',
        choices: [{ message: { content: 'Grüße' } }],
      },
      usage: { buckets: { input: 8, cacheRead: 4, output: 7 } },
    })
  })

  test.each([
    ['cache-hits', { input: 36, cacheRead: 64, output: 20 }, null],
    ['cache-write', { input: 20, cacheRead: 30, cacheWrite5m: 50, output: 20 }, null],
    ['cost', { input: 100, output: 20 }, 0.00042],
    ['reasoning-on-top', { input: 100, output: 320, reasoning: 300 }, null],
    ['audio', { input: 20, audioInput: 80, output: 5, audioOutput: 15 }, null],
  ])('counts usage: %s', (name, buckets, costUsd) => {
    expect(read(`plain-usage-${name}`)).toMatchObject({ usage: { buckets, costUsd } })
  })

  test.each(['garbage', 'none'])('has no usage if it is %s', (name) => {
    expect(read(`plain-usage-${name}`)).toMatchObject({ kind: 'plain', usage: null })
  })

  test('is completed with defaults', () => {
    expect(read('plain-sparse')).toMatchObject({
      completion: {
        ...replayDefaults,
        choices: [{ index: 0, finish_reason: 'tool_calls', message: { tool_calls: [{ type: 'function' }] } }],
      },
      usage: null,
    })
    const answer = read('plain-sparse')
    const call =
      answer instanceof UpstreamFailure ? null : answer.completion.choices[0]?.message.tool_calls?.[0]
    expect(call?.function?.arguments).toBe('{"a":1}')
  })
})

describe('a request', () => {
  const base: ChatRequest = { model: 'gpt', messages: [{ role: 'user', content: 'Hi' }] }
  function sent(request: ChatRequest, quirks = {}): Record<string, unknown> {
    const value = parseJson(openaiChat.chatRequest(request, { ...target, quirks }).body)
    if (!isObject(value)) throw new Error('no object')
    return value
  }

  test('passes every field through and replaces the model', () => {
    expect(sent({ ...base, seed: 4, verbosity: 'low', user: null })).toEqual({
      model: 'acme-large',
      messages: base.messages,
      seed: 4,
      verbosity: 'low',
      user: null,
    })
  })

  test('asks for usage on every stream, and on no plain request', () => {
    const options = { include_usage: false, include_obfuscation: false }
    expect(sent({ ...base, stream: true, stream_options: options }).stream_options).toEqual({
      include_usage: true,
      include_obfuscation: false,
    })
    expect(sent({ ...base, stream_options: { include_usage: true } })).not.toHaveProperty('stream_options')
    expect(sent({ ...base, stream: true }, { noStreamOptions: true })).not.toHaveProperty('stream_options')
  })
})

describe('an error response', () => {
  test.each([
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
  ])('%s is read', (text, expected) => {
    expect(openaiChat.errorBody(text, { status: 400, headers: {} })).toMatchObject(expected)
  })
})
