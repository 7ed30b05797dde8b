import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { ClientFormat } from '../../../shared/api/operations/operation.ts'
import { API_FORMATS, type ApiFormat } from '../../../shared/api/providers.ts'
import type { ChatRequest } from '../../../shared/formats/chat.ts'
import { ChatChunk } from '../../../shared/formats/chat-completion.ts'
import { testTarget } from '../../upstream/testing/test-upstream.ts'
import type { CompletionIdentity, EncodedRequest, FormatCodec, Target } from '../chat/codec-types.ts'
import type { ChatEvent } from '../chat/events.ts'
import type { UpstreamFailure } from '../chat/failure.ts'
import { clientCodecs } from '../codecs.ts'
import { SseReader } from '../framing/sse.ts'
import { parseJson } from '../json/json.ts'

export const replayDefaults: CompletionIdentity = {
  id: 'chatcmpl-5f0c6a52-8a0f-4a53-9a3c-1f7f0d2b9e11',
  created: 1_760_000_000,
  model: 'acme-large',
}

/** The formats that clients use, too. */
export type NativeFormat = Extract<ApiFormat, ClientFormat>
export const NATIVE_FORMATS: readonly NativeFormat[] = API_FORMATS.filter(
  (format): format is NativeFormat => format in clientCodecs,
)

export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const hello: ChatRequest['messages'] = [{ role: 'user', content: 'Hi' }]

export function toolCall(id: string, name: string, args = '{}', more = {}) {
  return { id, type: 'function', function: { name, arguments: args }, ...more }
}

/** Replays a format's recorded responses through its codec. Its target remembers the signatures of what it has read. */
export class Replay {
  readonly #codec: FormatCodec
  readonly #folder: string
  readonly target: Target = testTarget('http://127.0.0.1:1')

  constructor(codec: FormatCodec, folder: string) {
    this.#codec = codec
    this.#folder = fileURLToPath(new URL(`../${folder}/fixtures/`, import.meta.url))
  }

  bytes(name: string): Buffer {
    return readFileSync(`${this.#folder}${name}.txt`)
  }

  text(name: string): string {
    return this.bytes(name).toString('utf8')
  }

  json(name: string): unknown {
    return JSON.parse(this.text(name))
  }

  names(prefix: string): string[] {
    const files = readdirSync(this.#folder).filter((name) => name.startsWith(prefix))
    return files.map((name) => name.replace(/\.txt$/, ''))
  }

  events(...parts: Uint8Array[]): ChatEvent[] {
    const sse = new SseReader()
    const parser = this.#codec.streamParser(this.target, replayDefaults)
    const items = [...parts.flatMap((part) => sse.read(part)), ...sse.end()]
    const events = items.flatMap((item) => (item.type === 'event' ? parser.event(item) : []))
    return [...events, ...parser.end()]
  }

  stream(name: string): ChatEvent[] {
    return this.events(this.bytes(name))
  }

  /** A request as the provider is sent it. */
  call(request: Partial<ChatRequest>, target: Partial<Target> = {}): EncodedRequest {
    const chat = { model: 'x', messages: hello, ...request }
    return this.#codec.chatRequest(chat, { ...this.target, ...target })
  }

  /** The encoded body of a request. */
  encode(request: Partial<ChatRequest>, target: Partial<Target> = {}): unknown {
    return parseJson(this.call(request, target).body)
  }
}

/** An answer whose only choice has this message. */
export const choice = (message: object, more: object = {}) => ({
  completion: { choices: [{ message, ...more }] },
})

/** The recordings of a plain stream that every format has, written in different ways. */
export const PLAIN_STREAMS: readonly string[] = [
  'stream',
  'stream-crlf',
  'stream-cr',
  'stream-comments',
  'stream-no-final-newline',
]

/** Expects the text, the counts and the end that the recordings of a plain stream have in every format. */
export function expectGreeting(events: readonly ChatEvent[]): void {
  expect(getText(events)).toBe('Grüße aus 東京 🚆')
  expect(listFinishes(events)).toEqual(['stop'])
  expect(events.at(-1)).toEqual({ type: 'done' })
  expect(getUsage(events)?.asChatUsage).toMatchObject({
    prompt_tokens: 12,
    completion_tokens: 7,
    total_tokens: 19,
    prompt_tokens_details: { cached_tokens: 4 },
  })
}

/** The chunks of the events, each checked with the schema that clients are given. */
export function listChunks(events: readonly ChatEvent[]): ChatChunk[] {
  return events.flatMap((event) => (event.type === 'chunk' ? [ChatChunk.parse(event.chunk)] : []))
}

const deltas = (events: readonly ChatEvent[]) =>
  listChunks(events).flatMap(({ choices }) => choices.map(({ delta }) => delta))

export function getText(events: readonly ChatEvent[]): string {
  return deltas(events)
    .map(({ content }) => content ?? '')
    .join('')
}

export function joinReasoning(events: readonly ChatEvent[]): string {
  return deltas(events)
    .map((delta) => delta.reasoning_content ?? '')
    .join('')
}

/** Tool calls, assembled by index as a client does. */
export function listCalls(events: readonly ChatEvent[]): { id?: string; name?: string; args: string }[] {
  const calls: { id?: string; name?: string; args: string }[] = []
  for (const { index, id, function: called } of deltas(events).flatMap((delta) => delta.tool_calls ?? [])) {
    const call = calls[index] ?? { args: '' }
    calls[index] = {
      ...call,
      ...(id !== undefined && { id }),
      ...(called?.name !== undefined && { name: called.name }),
      args: call.args + (called?.arguments ?? ''),
    }
  }
  return calls
}

export function listFinishes(events: readonly ChatEvent[]): string[] {
  return listChunks(events).flatMap(({ choices }) =>
    choices.flatMap((choice) => (choice.finish_reason === null ? [] : [choice.finish_reason])),
  )
}

/** The last usage reported. */
export function getUsage(events: readonly ChatEvent[]) {
  return events.findLast((event) => event.type === 'usage')?.usage ?? null
}

export function findFailure(events: readonly ChatEvent[]): UpstreamFailure {
  const last = events.at(-1)
  if (last?.type !== 'failed') throw new Error(`the stream did not fail: ${JSON.stringify(last)}`)
  return last.failure
}
