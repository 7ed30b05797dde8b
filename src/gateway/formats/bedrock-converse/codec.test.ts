import { describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../../shared/api/usage-buckets.ts'
import {
  choice,
  findFailure,
  getText,
  getUsage,
  joinReasoning,
  listCalls,
  listChunks,
  listFinishes,
  replayDefaults,
} from '../testing/replay.ts'
import { bedrockConverse } from './codec.ts'
import { CLAUDE, GPT, NOVA, replay } from './testing/encode.ts'
import { readConverseUsage } from './usage.ts'

const read = (name: string) => bedrockConverse.plainAnswer(replay.json(name), replay.target, replayDefaults)
const model = replay.target.upstreamModel
const signed = {
  format: 'bedrock-converse',
  data: {
    model,
    reasoningContent: { reasoningText: { text: '17 × 3 = 51', signature: 'ErUBCkYIBRgCIkD0b5' } },
  },
}
const encrypted = {
  format: 'bedrock-converse',
  data: { model, reasoningContent: { redactedContent: 'c2VjcmV0' } },
}

describe('a plain answer', () => {
  test('has its text, calls and finish reason', () => {
    expect(read('plain-tools')).toMatchObject(
      choice(
        {
          content: 'I look it up.',
          tool_calls: [
            {
              id: 'tooluse_9HhZK1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
            },
            { id: 'tooluse_c', type: 'function', function: { name: 'get_now', arguments: '{}' } },
          ],
        },
        { finish_reason: 'tool_calls' },
      ),
    )
  })

  test('has its reasoning, signed or encrypted', () => {
    expect(read('plain-reasoning')).toMatchObject(
      choice({ content: '51', reasoning_content: '17 × 3 = 51', signed_reasoning: [signed, encrypted] }),
    )
  })

  test('has cited text, its citations and images', () => {
    expect(read('plain-citations')).toMatchObject(
      choice({
        content: 'Rome is old.',
        content_parts: [{ type: 'citationsContent', citationsContent: { citations: [{ title: 'Cities' }] } }],
        images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      }),
    )
  })

  test.each(['malformed_tool_use', 'malformed_model_output'])(
    'with %s is a failure that is billed',
    (stopReason) => {
      const body = {
        output: { message: { content: [] } },
        stopReason,
        usage: { inputTokens: 8, outputTokens: 20 },
      }
      expect(bedrockConverse.plainAnswer(body, replay.target, replayDefaults)).toMatchObject({
        kind: 'malformed',
        code: stopReason,
        final: true,
        usage: { buckets: { input: 8, output: 20 } },
      })
    },
  )
})

describe('a stream', () => {
  test('has parallel calls, of which one has no arguments', () => {
    const events = replay.stream('stream-parallel-tools')
    expect(listCalls(events)).toEqual([
      { id: 'tooluse_9HhZK1', name: 'get_weather', args: '{"city": "Rom"}' },
      { id: 'tooluse_b2QxL7', name: 'get_time', args: '{"city":"Rom"}' },
      { id: 'tooluse_c', name: 'get_now', args: '{}' },
    ])
    expect(listFinishes(events)).toEqual(['tool_calls'])
  })

  test('has signed reasoning before the text', () => {
    const events = replay.stream('stream-reasoning')
    expect([joinReasoning(events), getText(events)]).toEqual(['17 × 3 = 51', '51'])
    const all = listChunks(events).flatMap(({ choices }) => choices.map(({ delta }) => delta))
    expect(all.find((delta) => 'signed_reasoning' in delta)).toMatchObject({
      content: '51',
      signed_reasoning: [signed],
    })
  })

  test('has encrypted reasoning that came in pieces before the call', () => {
    const [first] = listChunks(replay.stream('stream-reasoning-tools')).flatMap(({ choices }) =>
      choices.flatMap(({ delta }) => ('signed_reasoning' in delta ? [delta] : [])),
    )
    expect(first).toMatchObject({
      signed_reasoning: [{ call_id: 'tooluse_9HhZK1' }, { ...encrypted, call_id: 'tooluse_9HhZK1' }],
      tool_calls: [{ id: 'tooluse_9HhZK1' }],
    })
  })

  test('has its usage after its end, with the writes to the cache by their lifetime', () => {
    const events = replay.stream('stream-cache-write')
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['usage', 'done'])
    expect(getUsage(events)).toMatchObject({
      buckets: { input: 562, cacheRead: 0, cacheWrite5m: 978, cacheWrite1h: 3000, output: 4 },
      asChatUsage: { prompt_tokens: 4540, total_tokens: 4544 },
    })
  })

  test('without metadata is complete', () => {
    const events = replay.stream('stream-no-metadata')
    expect([getUsage(events), events.at(-1)]).toEqual([null, { type: 'done' }])
  })

  test('of which the call is malformed fails with its usage', () => {
    expect(findFailure(replay.stream('stream-malformed-call'))).toMatchObject({
      code: 'malformed_tool_use',
      final: true,
      usage: { buckets: { input: 8, output: 20 } },
    })
  })

  test('has generated images, and its tier', () => {
    const events = replay.stream('stream-unknown-events')
    expect(JSON.stringify(listChunks(events))).toContain('data:image/')
    expect(getUsage(events)?.otherTier).toBe('flex')
  })
})

const counted = [...replay.names('plain'), ...replay.names('stream')].filter((name) =>
  /"totalTokens"/.test(replay.text(name)),
)

test.each(counted)('the counts of %s add up to its total', (name) => {
  const total = Number(/"totalTokens":(\d+)/.exec(replay.text(name))?.[1])
  const answer = name.startsWith('stream') ? { usage: getUsage(replay.stream(name)) } : read(name)
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output } = answer.usage?.buckets ?? NO_USAGE
  expect(input + cacheRead + cacheWrite5m + cacheWrite1h + output).toBe(total)
})

describe('the counts of the cache', () => {
  const usage = {
    inputTokens: 4_995,
    outputTokens: 19,
    totalTokens: 10_007,
    cacheReadInputTokens: 0,
    cacheWriteInputTokens: 4_993,
  }
  const count = (given: object, of: string, isStream: boolean) =>
    readConverseUsage({ usage: given }, { model: of, isStream })?.buckets

  test('are in the input of OpenAI’s streams, and of nothing else', () => {
    const whole = { input: 4_995, cacheWrite5m: 4_993 }
    expect(count(usage, GPT, true)).toMatchObject({ input: 2, cacheWrite5m: 4_993 })
    expect(count(usage, 'us.openai.gpt-5.6-sol', true)).toMatchObject({ input: 2 })
    expect(count(usage, GPT, false)).toMatchObject(whole)
    for (const other of [CLAUDE, NOVA, 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a'])
      expect(count(usage, other, true)).toMatchObject(whole)
  })

  test('of a stream equal those of the plain answer', () => {
    const plain = read('plain-openai-cache')
    expect(plain).toMatchObject({ usage: { buckets: count(usage, GPT, true) } })
  })

  test('that are larger than the input of OpenAI’s stream are apart from it', () => {
    expect(count({ ...usage, inputTokens: 2 }, GPT, true)).toMatchObject({ input: 2, cacheWrite5m: 4_993 })
  })

  test('are kept as Claude reports them while it thinks, twice as they may be', () => {
    const doubled = { inputTokens: 40, outputTokens: 9, cacheWriteInputTokens: 8_756 }
    expect(count(doubled, CLAUDE, true)).toMatchObject({ input: 40, cacheWrite5m: 8_756 })
  })

  test('never exceed the whole by their lifetimes', () => {
    const odd = {
      inputTokens: 1,
      outputTokens: 1,
      cacheWriteInputTokens: 5,
      cacheDetails: [{ ttl: '1h', inputTokens: 9 }],
    }
    expect(count(odd, CLAUDE, true)).toMatchObject({ cacheWrite5m: 0, cacheWrite1h: 5 })
  })

  test.each([
    [undefined],
    [{ inputTokens: 1 }],
    [{ inputTokens: -1, outputTokens: 1 }],
    [{ inputTokens: 1, outputTokens: 1, cacheReadInputTokens: '5' }],
    [{ inputTokens: 0, outputTokens: 0 }],
  ])('are no usage: %j', (given) => {
    expect(readConverseUsage({ usage: given }, { model: NOVA, isStream: false })).toBeNull()
  })
})

test.each([
  [
    400,
    'ValidationException:http://internal.amazon.com/coral/',
    {},
    { status: undefined, code: 'ValidationException' },
  ],
  [400, 'ServiceQuotaExceededException', {}, { status: 429, code: 'ServiceQuotaExceededException' }],
  [424, 'ModelErrorException', { originalStatusCode: 400 }, { status: 400, code: 'ModelErrorException' }],
  [
    424,
    undefined,
    { __type: 'com.amazon#ModelErrorException' },
    { status: 502, code: 'ModelErrorException' },
  ],
  [429, 'ModelNotReadyException', {}, { status: undefined, code: 'ModelNotReadyException' }],
])('an error with status %s and type %s', (status, type, body, { status: meant, code }) => {
  const headers = type === undefined ? {} : { 'x-amzn-errortype': type }
  const error = bedrockConverse.errorBody(JSON.stringify({ message: 'No.', ...body }), { status, headers })
  expect([error.message, error.status, error.code]).toEqual(['No.', meant, code])
})
