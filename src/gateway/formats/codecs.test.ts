// Behavior that the codecs of all formats share, on recorded answers. Each format's own tests are in its folder.
import { describe, expect, test } from 'vitest'
import { API_FORMATS, type ApiFormat } from '../../shared/api/providers.ts'
import { ChatCompletion } from '../../shared/formats/chat-completion.ts'
import { UpstreamFailure } from './chat/failure.ts'
import { getCodec } from './codecs.ts'
import {
  expectGreeting,
  findFailure,
  getText,
  getUsage,
  joinReasoning,
  listChunks,
  listFinishes,
  PLAIN_STREAMS,
  Replay,
  replayDefaults,
} from './testing/replay.ts'

interface Format {
  /** The recordings of plain answers with usage. */
  plain: readonly string[] | 'all'
  /** The members of the first chunk of a stream. */
  identity: object
  reasoningTokens: number
  /** The recordings of the plain stream that only this format has. */
  streams: readonly string[]
  reasoning: readonly (readonly [name: string, text: string])[]
  /** Recordings that end early. */
  cut: readonly string[]
  finishes: readonly (readonly [name: string, reason: string])[]
  failures: readonly (readonly [name: string, status: number | null, code: string])[]
  malformedAnswers: readonly unknown[]
  malformedEvents: readonly string[]
  /** Null for a format whose errors never come with status 200. */
  failedAnswer: { body: unknown; status: number; message: string } | null
  errors: readonly (readonly [name: string, expected: object])[]
}

const { created } = replayDefaults

const formats: Readonly<Record<ApiFormat, Format>> = {
  'openai-chat': {
    plain: ['plain', 'plain-tools', 'plain-usage-cost'],
    identity: { model: 'acme-large-2026' },
    reasoningTokens: 2,
    streams: ['stream-bom'],
    reasoning: [],
    cut: ['stream-cut'],
    finishes: [],
    failures: [
      ['stream-error', 502, '502'],
      ['stream-error-event', null, 'overloaded_error'],
    ],
    malformedAnswers: [[], { id: 'x' }, { choices: [] }, { choices: [{ texts: 'a' }] }],
    malformedEvents: ['{"choices":['],
    failedAnswer: { body: { error: { message: 'No credit', code: 402 } }, status: 402, message: 'No credit' },
    errors: [],
  },
  'openai-responses': {
    plain: 'all',
    identity: { id: 'resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9', created, model: 'gpt-5.5-2026-04-23' },
    reasoningTokens: 2,
    streams: ['stream-done-marker', 'stream-no-items'],
    reasoning: [['stream-reasoning', '17 × 3 = 51\n\nCheck it.']],
    cut: ['stream-cut', 'stream-cut-inside'],
    finishes: [
      ['stream-max-tokens', 'length'],
      ['stream-content-filter', 'content_filter'],
      ['stream-queued', 'stop'],
    ],
    failures: [
      ['stream-failed', 429, 'rate_limit_exceeded'],
      ['stream-failed-late', 500, 'server_error'],
      ['stream-error', 503, 'server_is_overloaded'],
      ['stream-error-nested', 400, 'context_length_exceeded'],
    ],
    malformedAnswers: [[], { id: 'x' }, { output: [], status: 'queued' }],
    malformedEvents: [
      '{"type":',
      '{"type":"response.output_item.added","item":7}',
      '{"type":"response.completed"}',
      '[DONE]',
    ],
    failedAnswer: {
      body: { status: 'failed', error: { code: 'server_error', message: 'Broken' } },
      status: 500,
      message: 'Broken',
    },
    errors: [
      ['error-invalid', { code: 'integer_below_min_value', param: 'max_output_tokens' }],
      ['error-rate-limit', { code: 'rate_limit_exceeded', type: 'requests' }],
      ['error-proxy', { message: 'upstream connect error or disconnect/reset before headers' }],
    ],
  },
  'anthropic-messages': {
    plain: 'all',
    identity: { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', created, model: 'claude-sonnet-4-5-20250929' },
    reasoningTokens: 0,
    streams: ['stream-no-stop'],
    reasoning: [['stream-thinking', '17 × 3 = 51']],
    cut: ['stream-cut', 'stream-cut-inside'],
    finishes: [
      ['stream-max-tokens', 'length'],
      ['stream-refusal', 'content_filter'],
      ['stream-unknown-events', 'stop'],
    ],
    failures: [
      ['stream-error-overloaded', 529, 'overloaded_error'],
      ['stream-error-rate-limit', 429, 'rate_limit_error'],
    ],
    malformedAnswers: [[], { type: 'message' }],
    malformedEvents: [
      '{"type":',
      '{"type":"content_block_delta","index":3,"delta":{}}',
      '{"type":"message_start"}',
    ],
    failedAnswer: {
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      status: 529,
      message: 'Overloaded',
    },
    errors: [
      ['error-rate-limit', { message: 'Spend limit reached.', code: 'enforced_spend_limit_reached' }],
      ['error-invalid', { type: 'invalid_request_error', code: null }],
      ['error-proxy', { message: 'upstream connect error or disconnect/reset before headers' }],
    ],
  },
  'gemini-generate': {
    plain: ['plain', 'plain-tools', 'plain-thinking', 'plain-blocked', 'plain-audio'],
    identity: { id: 'mAitaLmkHPPlz7IPvtfUqQ4', created, model: 'gemini-2.5-flash' },
    reasoningTokens: 3,
    streams: [],
    reasoning: [['stream-thinking', '**Adding**\n17 × 3 = 51']],
    cut: ['stream-cut', 'stream-cut-inside'],
    finishes: [
      ['stream-blocked', 'content_filter'],
      ['stream-safety', 'content_filter'],
      ['stream-max-tokens', 'length'],
    ],
    failures: [
      ['stream-error', 503, 'UNAVAILABLE'],
      ['stream-error-array', 429, 'RESOURCE_EXHAUSTED'],
    ],
    malformedAnswers: [[], {}, { candidates: [] }],
    malformedEvents: ['{"candidates":', '[7]'],
    failedAnswer: {
      body: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
      status: 503,
      message: 'Overloaded',
    },
    errors: [
      ['error-invalid', { code: 'INVALID_ARGUMENT', message: expect.stringContaining('contents') }],
      ['error-array', { code: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota.' }],
      ['error-proxy', { code: null, message: 'Bad Gateway' }],
    ],
  },
  'bedrock-converse': {
    plain: 'all',
    // An answer has no id, and no name of its model.
    identity: { id: replayDefaults.id, created, model: replayDefaults.model },
    reasoningTokens: 0,
    streams: [],
    // Its reasoning is not counted apart.
    reasoning: [],
    cut: ['stream-cut', 'stream-cut-inside'],
    finishes: [
      ['stream-max-tokens', 'length'],
      ['stream-guardrail', 'content_filter'],
      ['stream-tools', 'tool_calls'],
      ['stream-unknown-events', 'stop'],
      ['stream-no-metadata', 'stop'],
    ],
    failures: [],
    malformedAnswers: [[], {}, { output: {} }],
    malformedEvents: ['{"messageStop":'],
    failedAnswer: null,
    errors: [
      ['error-invalid', { message: expect.stringContaining('toolConfig') }],
      ['error-model', { message: 'The model returned an error.' }],
      ['error-proxy', { message: 'upstream connect error or disconnect/reset before headers' }],
    ],
  },
}

describe.each(API_FORMATS)('%s', (name) => {
  const format = formats[name]
  const codec = getCodec(name)
  const replay = new Replay(codec, name)
  const readAnswer = (body: unknown) => codec.plainAnswer(body, replay.target, replayDefaults)

  describe('a plain answer', () => {
    test.each(format.plain === 'all' ? replay.names('plain') : format.plain)(
      '%s is valid in the clients’ format',
      (recording) => {
        const answer = readAnswer(replay.json(recording))
        if (answer instanceof UpstreamFailure) throw answer
        expect(() => ChatCompletion.parse(answer.completion)).not.toThrow()
        expect(answer.usage).not.toBeNull()
      },
    )

    test('has its usage in separate counts', () => {
      expect(readAnswer(replay.json('plain'))).toMatchObject({
        usage: { buckets: { input: 8, cacheRead: 4, output: 7 } },
      })
    })

    test.each(format.malformedAnswers.map((body) => [body]))('is malformed: %j', (body) => {
      expect(readAnswer(body)).toMatchObject({ kind: 'malformed' })
    })

    test.each(format.failedAnswer ? [format.failedAnswer] : [])('with an error is that error', (given) => {
      const { body, ...expected } = given
      expect(readAnswer(body)).toMatchObject({ kind: 'status', ...expected })
    })
  })

  test.each(format.errors)('the error response %s is read', (recording, expected) => {
    expect(codec.errorBody(replay.text(recording), { status: 400, headers: {} })).toMatchObject(expected)
  })

  describe('a recorded stream', () => {
    test.each(replay.names('stream'))('%s has one end', (recording) => {
      const ends = replay.stream(recording).filter(({ type }) => type === 'done' || type === 'failed')
      expect(ends).toHaveLength(1)
    })

    test.each([...replay.names('stream').filter((each) => PLAIN_STREAMS.includes(each)), ...format.streams])(
      '%s has its text, usage and end',
      (recording) => {
        const events = replay.stream(recording)
        expectGreeting(events)
        const reasoning = format.reasoningTokens
        expect(getUsage(events)).toMatchObject({
          buckets: { input: 8, cacheRead: 4, output: 7, reasoning },
          asChatUsage: { completion_tokens_details: { reasoning_tokens: reasoning } },
        })
      },
    )

    test('has the provider’s id and model', () => {
      expect(listChunks(replay.stream('stream'))[0]).toMatchObject(format.identity)
    })

    test.each(format.reasoning)('%s separates reasoning from text', (recording, reasoning) => {
      const events = replay.stream(recording)
      expect(joinReasoning(events)).toBe(reasoning)
      expect(getText(events)).toBe('51')
      expect(getUsage(events)?.buckets.reasoning).toBe(48)
    })

    test('that ends early is a failure', () => {
      for (const recording of format.cut)
        expect(findFailure(replay.stream(recording))).toMatchObject({ kind: 'malformed' })
      expect(findFailure(replay.events())).toMatchObject({ kind: 'malformed' })
    })

    test.each(format.finishes)('%s finishes with %s', (recording, reason) => {
      const events = replay.stream(recording)
      expect(listFinishes(events)).toEqual([reason])
      expect(events.at(-1)).toEqual({ type: 'done' })
    })

    test.each(format.failures)('%s fails with status %s and code %s', (recording, status, code) => {
      expect(findFailure(replay.stream(recording))).toMatchObject({ kind: 'status', status, code })
    })

    test.each(['7', 'null', '<html></html>', ...format.malformedEvents])('with the data %s fails', (data) => {
      expect(findFailure(replay.events(Buffer.from(`data: ${data}\n\n`)))).toMatchObject({
        kind: 'malformed',
      })
    })
  })
})
