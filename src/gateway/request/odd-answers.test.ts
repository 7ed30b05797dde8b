// Every member of every kind of event in recorded answers, replaced by every type of JSON: what comes out is an answer in the clients'
// format or a failure, never a fault.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { UsageBuckets } from '../../shared/api/requests.ts'
import { ChatChunk, ChatCompletion, ChatUsage } from '../../shared/formats/chat-completion.ts'
import { anthropicMessages } from '../formats/anthropic-messages/codec.ts'
import type { FormatCodec } from '../formats/chat/codec-types.ts'
import type { ChatEvent, SseEvent } from '../formats/chat/events.ts'
import { UpstreamFailure } from '../formats/chat/failure.ts'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { SseReader } from '../formats/framing/sse.ts'
import { geminiGenerate } from '../formats/gemini-generate/codec.ts'
import { asObject, parseJson } from '../formats/json/json.ts'
import { openaiChatClient } from '../formats/openai-chat/client/codec.ts'
import { openaiChat } from '../formats/openai-chat/codec.ts'
import { openaiResponses } from '../formats/openai-responses/codec.ts'
import { Replay, replayDefaults } from '../formats/testing/replay.ts'
import { testTarget } from '../upstream/testing/test-upstream.ts'

const target = testTarget('http://127.0.0.1:1/v1')
const identity = { id: 'req_1', model: 'acme' }
const context = (wantsUsage: boolean) => ({
  requestId: 'req_1',
  model: 'acme',
  created: 1,
  body: { stream_options: { include_usage: wantsUsage } },
})
const codecs: [name: string, codec: FormatCodec, replay: Replay][] = [
  ['openai', openaiChat, new Replay(openaiChat, 'openai-chat')],
  ['responses', openaiResponses, new Replay(openaiResponses, 'openai-responses')],
  ['anthropic', anthropicMessages, new Replay(anthropicMessages, 'anthropic-messages')],
  ['gemini', geminiGenerate, new Replay(geminiGenerate, 'gemini-generate')],
]

const ODD: readonly unknown[] = [
  null,
  true,
  5,
  -1.5,
  1e300,
  '',
  'x',
  '__proto__',
  'constructor',
  [],
  [null],
  [[5]],
  ['x'],
  {},
  { text: 5 },
  { a: {} },
]

const Said = { reasoning_content: z.string().nullish(), refusal: z.string().nullish() }
const Index = z.int().min(0).max(127)
const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
const Failure = z.object({
  status: z.int().nullable(),
  code: z.string().nullable(),
  param: z.string().nullable(),
  message: z.string(),
})
const Choice = ChatCompletion.shape.choices.element
const message = Choice.shape.message.extend(Said)
const Completion = ChatCompletion.extend({
  choices: z.array(Choice.extend({ index: Index, finish_reason: FinishReason, message })),
})
const ChunkChoice = ChatChunk.shape.choices.element
const delta = ChunkChoice.shape.delta.extend({ ...Said, role: z.literal('assistant').optional() })
const Chunk = ChatChunk.extend({
  choices: z.array(ChunkChoice.extend({ index: Index, finish_reason: FinishReason.nullable(), delta })),
})
const Reported = z.object({
  buckets: UsageBuckets.strict().refine((buckets) => Object.values(buckets).every((n = 0) => n >= 0)),
  costUsd: z.number().nonnegative().nullable(),
  asChatUsage: ChatUsage,
})

/** Every place inside of the value. */
function places(value: unknown, path: readonly PropertyKey[] = []): (readonly PropertyKey[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))]
}

function replaced(value: unknown, [step, ...rest]: readonly PropertyKey[], by: unknown): unknown {
  if (step === undefined) return by
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === step ? replaced(inner, rest, by) : inner))
  return { ...Object(value), [step]: replaced(Object(value)[step], rest, by) }
}

function expectPlain(codec: FormatCodec, body: unknown): void {
  const answer = codec.plainAnswer(body, target, replayDefaults)
  if (answer instanceof UpstreamFailure) return void Failure.parse(answer)
  Completion.parse(answer.completion)
  if (answer.usage) Reported.parse(answer.usage)
  JSON.stringify(
    openaiChatClient.answerBody(
      answer.completion,
      { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      context(false),
    ),
  )
}

function listEvents(bytes: Buffer): SseEvent[] {
  const sse = new SseReader()
  return [...sse.read(bytes), ...sse.end()].flatMap((item) => (item.type === 'event' ? [item] : []))
}

function expectStream(codec: FormatCodec, sent: readonly SseEvent[]): void {
  const parser = codec.streamParser(target, replayDefaults)
  const events: ChatEvent[] = [...sent.flatMap((event) => parser.event(event)), ...parser.end()]
  const ends = events.filter(({ type }) => type === 'done' || type === 'failed')
  expect(ends).toEqual([events.at(-1)])
  for (const end of ends) if (end.type === 'failed') Failure.parse(end.failure)
  const normalizer = new StreamNormalizer({ ...identity, created: 1 })
  const writers = [false, true].map((wantsUsage) => openaiChatClient.streamWriter(context(wantsUsage)))
  for (const event of events.flatMap((each) => normalizer.next(each))) {
    if (event.type === 'usage') Reported.parse(event.usage)
    if (event.type !== 'chunk') continue
    Chunk.parse(event.chunk)
    for (const each of writers) JSON.parse(each.chunk(event.chunk, event.raw).slice('data: '.length))
  }
}

/** Runs the check. Its errors include the input. */
function given(what: unknown, check: () => void): void {
  try {
    check()
  } catch (cause) {
    throw new Error(`with ${JSON.stringify(what)?.slice(0, 2_000)}`, { cause })
  }
}

describe.each(codecs)('an odd answer of the format %s', (_, codec, replay) => {
  const plains = replay.names('plain').map((name) => parseJson(replay.text(name)))
  const streams = replay.names('stream').map((name) => listEvents(replay.bytes(name)))

  it('with one member replaced is an answer or a failure', () => {
    for (const plain of plains)
      for (const path of places(plain))
        for (const odd of ODD) {
          const body = replaced(plain, path, odd)
          given(body, () => expectPlain(codec, body))
        }
  })

  it('with one member of one event replaced is a stream with one end', () => {
    /** The places in events of a type, or of a form if they have no types. */
    const seen = new Set<string>()
    for (const stream of streams)
      for (const [at, event] of stream.entries()) {
        const value = parseJson(event.data)
        const all = places(value)
        const kind = asObject(value).type ?? all
        for (const path of all) {
          const place = JSON.stringify([kind, path])
          if (seen.has(place)) continue
          seen.add(place)
          for (const odd of ODD) {
            const data = JSON.stringify(replaced(value, path, odd))
            given(data, () => expectStream(codec, stream.with(at, { ...event, data })))
          }
        }
      }
  })

  it('with several members replaced at random causes no internal error either', () => {
    const odd = fc.oneof(fc.constantFrom(...ODD), fc.jsonValue({ maxDepth: 3 }))
    const changes = fc.array(fc.tuple(fc.nat(), odd), { minLength: 1, maxLength: 5 })
    const mutated = (value: unknown, list: readonly [number, unknown][]): unknown =>
      list.reduce<unknown>((changed, [at, by]) => {
        const all = places(changed)
        return replaced(changed, all[at % all.length] ?? [], by)
      }, value)
    fc.assert(
      fc.property(fc.constantFrom(...plains), changes, (plain, list) =>
        expectPlain(codec, mutated(plain, list)),
      ),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.nat(), changes, (stream, which, list) => {
        const at = which % stream.length
        const event = stream[at] ?? { type: 'event' as const, event: null, data: '' }
        const data = JSON.stringify(mutated(parseJson(event.data), list)) ?? ''
        expectStream(codec, stream.with(at, { ...event, data }))
      }),
      { numRuns: 500 },
    )
  })

  it('with excessive nesting is malformed, wherever the nesting is', () => {
    const deep = '[DEEP]'
    const nest = (text: string) =>
      text.replaceAll(`"${deep}"`, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    for (const plain of plains.slice(0, 2))
      for (const path of places(plain)) {
        const text = nest(JSON.stringify(replaced(plain, path, deep)))
        expectPlain(codec, parseJson(text))
      }
    for (const [at, event] of (streams[0] ?? []).entries())
      for (const path of places(parseJson(event.data))) {
        const data = nest(JSON.stringify(replaced(parseJson(event.data), path, deep)))
        expectStream(codec, (streams[0] ?? []).with(at, { ...event, data }))
      }
  })
})
