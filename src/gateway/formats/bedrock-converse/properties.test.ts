// Random conversations: what is sent follows every rule of Converse, and what a stream brings is what was sent, wherever it is split.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChatRequest } from '../../../shared/formats/chat.ts'
import { UpstreamFailure } from '../chat/failure.ts'
import { EventStreamReader } from '../framing/event-stream.ts'
import type { SseItem } from '../framing/sse.ts'
import {
  getText,
  getUsage,
  joinReasoning,
  listCalls,
  listFinishes,
  PIXEL,
  replayDefaults,
} from '../testing/replay.ts'
import { ConverseStream } from './stream.ts'
import { CLAUDE, encode, GPT, LLAMA, NOVA, replay } from './testing/encode.ts'
import { encodeAnswer, type ScriptedBlock } from './testing/vendor.ts'

const MODELS = [
  CLAUDE,
  NOVA,
  LLAMA,
  GPT,
  'amazon.nova-lite-v1:0',
  'mistral.mistral-large-3-675b-instruct',
  'deepseek.v3.2',
  'openai.gpt-oss-20b-1:0',
  'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2',
]
const TOOLS = ['get_weather', 'get_time', 'mcp__git__log']
const words = fc.oneof(fc.string(), fc.constantFrom('Hi', '', ' \n', 'Grüße 🚆', '\u0000"\\', '{"a":1}'))
const mark = fc.constantFrom(
  {},
  {},
  {},
  { cache_control: { type: 'ephemeral' } },
  { cache_control: { type: 'ephemeral', ttl: '1h' } },
)
const text = fc.tuple(words, mark).map(([each, marked]) => ({ type: 'text', text: each, ...marked }))
const file = fc
  .tuple(
    fc.oneof(fc.string(), fc.constantFrom('a.pdf', 'Q3_report  v2.pdf', '../x', '')),
    fc.constantFrom('application/pdf', 'text/csv', 'video/mp4', 'application/zip'),
  )
  .map(([filename, type]) => ({
    type: 'file',
    file: { filename, file_data: `data:${type};base64,JVBERi0=` },
  }))
const image = fc
  .constantFrom(
    ...['png', 'jpg', 'gif', 'bmp'].map((type) => `data:image/${type};base64,${PIXEL}`),
    'https://a.example/b',
  )
  .map((url) => ({ type: 'image_url', image_url: { url } }))
const parts = fc.array(fc.oneof({ weight: 4, arbitrary: text }, file, image), { minLength: 1, maxLength: 4 })
const content = fc.oneof(words, parts)
const said = fc
  .tuple(fc.constantFrom('user', 'user', 'assistant', 'system', 'developer'), content)
  .map(([role, each]) => [{ role, content: each }])

/** Calls with their results, in any order. */
const step = fc
  .record({
    text: fc.oneof(words, fc.constant(null)),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom(...TOOLS),
        args: fc.oneof(
          fc.constant(''),
          fc.dictionary(fc.string(), fc.jsonValue()).map((each) => JSON.stringify(each)),
        ),
        result: fc.oneof(words, parts),
        signed: fc.boolean(),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    model: fc.constantFrom(...MODELS),
    isTurned: fc.boolean(),
    marked: mark,
  })
  .map(({ text: spoken, calls, model, isTurned, marked }) => (turn: number) => {
    const ids = calls.map((_, at) => `call.${turn}:${at}`)
    const reasoning = { reasoningContent: { reasoningText: { text: 'x', signature: 'ErUB' } } }
    const results = calls.map(({ result }, at) => ({
      role: 'tool',
      tool_call_id: ids[at],
      content: result,
      ...marked,
    }))
    return [
      {
        role: 'assistant',
        content: spoken,
        tool_calls: calls.map(({ name, args }, at) => ({
          id: ids[at],
          type: 'function',
          function: { name, arguments: args },
        })),
        signed_reasoning: calls.flatMap(({ signed }, at) =>
          signed ? [{ format: 'bedrock-converse', data: { model, ...reasoning }, call_id: ids[at] }] : [],
        ),
      },
      ...(isTurned ? results.toReversed() : results),
    ]
  })
const turns = fc.array(
  fc.oneof(
    said.map((each) => () => each),
    step,
  ),
  { maxLength: 6 },
)

const request = fc.record(
  {
    turns,
    tools: fc.subarray(TOOLS),
    toolMarks: mark,
    tool_choice: fc.constantFrom('auto', 'none', 'required'),
    reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'high', 'max'),
    max_tokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
    schema: fc.boolean(),
    cached: fc.boolean(),
    model: fc.constantFrom(...MODELS),
  },
  { requiredKeys: ['turns', 'tools', 'model', 'toolMarks'] },
)

test('a random conversation is sent as Converse takes it, or refused', () => {
  let sent = 0
  fc.assert(
    fc.property(
      request,
      ({ turns: given, tools, toolMarks, schema, cached, model, tool_choice: choice, ...options }) => {
        const json_schema = { name: 'place', schema: { type: 'object', properties: { city: {} } } }
        const chat = ChatRequest.parse({
          ...options,
          model,
          messages: [
            { role: 'user', content: 'Hi' },
            ...given.flatMap((add, turn): object[] => add(turn)),
            { role: 'user', content: 'Go on.' },
          ],
          ...(tools.length > 0 && {
            tools: tools.map((name, at) => ({
              type: 'function',
              function: { name },
              ...(at === 0 && toolMarks),
            })),
            ...(choice && { tool_choice: choice }),
          }),
          ...(schema && { response_format: { type: 'json_schema', json_schema } }),
        })
        // A client that marks more than four places is refused by AWS.
        fc.pre(JSON.stringify(chat).split('cache_control').length <= 5)
        const cache = cached ? { session: 's', lifetime: '5m' as const } : null
        try {
          encode(chat, model, { cache })
          sent += 1
        } catch (error) {
          if (!(error instanceof UpstreamFailure)) throw error
          expect(error).toMatchObject({ status: 400, sent: false, param: 'messages' })
        }
      },
    ),
  )
  expect(sent).toBeGreaterThan(0)
})

const data = fc.base64String({ minLength: 4 })
const block: fc.Arbitrary<ScriptedBlock> = fc.oneof(
  fc.string({ minLength: 1 }).map((each) => ({ text: each })),
  fc
    .record({
      id: fc.uuid(),
      name: fc.constantFrom(...TOOLS),
      input: fc.dictionary(fc.string(), fc.jsonValue()),
    })
    .map(({ id, name, input }) => ({
      toolUse: { toolUseId: id, name, input: JSON.parse(JSON.stringify(input)) },
    })),
  fc.record({ text: fc.string(), signature: fc.string({ minLength: 1 }) }).map((reasoningText) => ({
    reasoningContent: { reasoningText },
  })),
  data.map((redactedContent) => ({ reasoningContent: { redactedContent } })),
)
const count = fc.integer({ min: 0, max: 100_000 })

test('a random answer comes as it was streamed, wherever it is split', () => {
  fc.assert(
    fc.property(
      fc.array(block, { maxLength: 6 }),
      count,
      count,
      count,
      fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
      (blocks, input, long, short, sizes) => {
        const written = long + short
        const usage = {
          ...{ inputTokens: input + 1, outputTokens: 7, totalTokens: input + 8 + written },
          ...{ cacheReadInputTokens: 3, cacheWriteInputTokens: written },
          cacheDetails: [{ ttl: '1h' as const, inputTokens: long }],
        }
        const hasCalls = blocks.some((each) => 'toolUse' in each)
        const bytes = encodeAnswer({ content: blocks, usage, stopReason: hasCalls ? 'tool_use' : 'end_turn' })
        const reader = new EventStreamReader()
        const parser = new ConverseStream(replayDefaults, { ...replay.target, upstreamModel: NOVA })
        const items: SseItem[] = []
        for (let at = 0; at < bytes.length; ) {
          const { value: size } = sizes.next()
          items.push(...reader.read(bytes.subarray(at, at + size)))
          at += size
        }
        items.push(...reader.end())
        expect(items.filter(({ type }) => type !== 'event')).toEqual([])
        const events = items.flatMap((item) => (item.type === 'event' ? parser.event(item) : []))
        const all = [...events, ...parser.end()]
        const texts = blocks.flatMap((each) => ('text' in each ? [each.text] : []))
        const thoughts = blocks.flatMap((each) =>
          'reasoningContent' in each && 'reasoningText' in each.reasoningContent
            ? [each.reasoningContent.reasoningText.text]
            : [],
        )
        const calls = blocks.flatMap((each) => ('toolUse' in each ? [each.toolUse] : []))
        expect([getText(all), joinReasoning(all)]).toEqual([texts.join(''), thoughts.join('')])
        expect(listCalls(all).map(({ args, ...call }) => ({ ...call, args: JSON.parse(args) }))).toEqual(
          calls.map(({ toolUseId: id, name, input: args }) => ({ id, name, args })),
        )
        expect(listFinishes(all)).toEqual([hasCalls ? 'tool_calls' : 'stop'])
        expect(getUsage(all)?.buckets).toMatchObject({
          input: input + 1,
          cacheRead: 3,
          cacheWrite5m: short,
          cacheWrite1h: long,
          output: 7,
        })
        expect(all.at(-1)).toEqual({ type: 'done' })
      },
    ),
  )
})
