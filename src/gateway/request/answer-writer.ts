import type { ChatUsage } from '../../shared/chat-completion.ts'
import type { ErrorBody } from '../../shared/errors.ts'
import type { AnswerContext, NativeCodec, StreamWriter } from '../formats/chat/codec-types.ts'
import type { ChatEvent, StreamAnswer } from '../formats/chat/events.ts'
import { StreamNormalizer } from '../formats/chat/normalize.ts'
import { codecFor } from '../formats/codecs.ts'
import type { InferenceCall } from './call.ts'
import type { Candidate } from './worst-case.ts'

type NativeEvent = Extract<ChatEvent, { type: 'native' }>

/** Turns the chat events of an answer into the text of the client's stream. */
export interface AnswerWriter {
  /** What the client's format sets for its streams. */
  readonly stream: { readonly mediaType?: string; readonly keepAlive?: string | null }
  /** The chat events to measure and to write instead of the upstream's. */
  normalize(event: ChatEvent): readonly ChatEvent[]
  /** What to send for an event, which may be empty. */
  write(event: ChatEvent): string | Buffer
  /** The rest of a complete answer. */
  end(usage: ChatUsage): string
  /** The rest of a failed answer; null if it has no place for an error. */
  fail(error: ErrorBody, status: number): string | null
}

/** The context of an answer by this candidate. `created`: seconds since the epoch. */
export function answerContext(
  { requestId, json }: InferenceCall,
  { offer }: Candidate,
  created: number,
): AnswerContext {
  return { requestId, model: offer.id, created, body: json }
}

/** The upstream's own events and bytes go through as they come. */
export function createAnswerWriter(
  { codec }: InferenceCall,
  context: AnswerContext,
  { target, mode }: Candidate,
  { unchanged }: StreamAnswer,
): AnswerWriter {
  if (typeof unchanged === 'object') return new BytesWriter(unchanged.mediaType)
  const writer = codec.streamWriter(context)
  if (!unchanged) return new TranslatedWriter(writer, context)
  return new NativeWriter(writer, mode.kind === 'raw' ? undefined : codecFor(target).native)
}

/** Bytes have no place for comments, a cost or an error. */
class BytesWriter implements AnswerWriter {
  readonly stream: AnswerWriter['stream']

  constructor(mediaType: string) {
    this.stream = { mediaType, keepAlive: null }
  }

  normalize(event: ChatEvent): readonly ChatEvent[] {
    return [event]
  }

  write(event: ChatEvent): string | Buffer {
    return event.type === 'bytes' ? event.bytes : ''
  }

  end(): string {
    return ''
  }

  fail(): null {
    return null
  }
}

class TranslatedWriter implements AnswerWriter {
  readonly stream: AnswerWriter['stream']
  readonly #writer: StreamWriter
  readonly #normalizer: StreamNormalizer

  constructor(writer: StreamWriter, { requestId, model, created }: AnswerContext) {
    this.#writer = writer
    this.stream = writer
    this.#normalizer = new StreamNormalizer({ id: requestId, model, created })
  }

  normalize(event: ChatEvent): readonly ChatEvent[] {
    return this.#normalizer.next(event)
  }

  write(event: ChatEvent): string {
    if (event.type === 'chunk') return this.#writer.chunk(event.chunk, event.raw, event.pieces)
    if (event.type === 'usage' && event.members) this.#writer.recordUsageMembers?.(event.members)
    return ''
  }

  end(usage: ChatUsage): string {
    return this.#writer.end(usage)
  }

  fail(error: ErrorBody, status: number): string {
    return this.#writer.fail(error, status)
  }
}

/** Characters of events that wait for the cost; a provider that goes on after the end does not fill the memory. */
const MAX_HELD = 1_000_000

/** Events go through as they come. Those from the finish reason on wait for the cost, which goes into their usage. */
class NativeWriter implements AnswerWriter {
  readonly stream: AnswerWriter['stream']
  readonly #writer: StreamWriter
  readonly #codec: NativeCodec | undefined
  #held: NativeEvent[] = []
  #heldLength = 0
  #isFinished = false

  constructor(writer: StreamWriter, codec: NativeCodec | undefined) {
    this.#writer = writer
    this.stream = writer
    this.#codec = codec
  }

  normalize(event: ChatEvent): readonly ChatEvent[] {
    return [event]
  }

  write(event: ChatEvent): string {
    if (event.type === 'chunk') {
      // Another choice may still be written after one has finished.
      this.#isFinished = event.chunk.choices.some(({ finish_reason: reason }) => reason !== null)
    }
    if (event.type !== 'native') return ''
    if (!this.#isFinished && !event.final) return this.#release() + this.#format(event)
    const released = this.#heldLength > MAX_HELD ? this.#release() : ''
    this.#held.push(event)
    this.#heldLength += event.data.length
    return released
  }

  end({ cost }: ChatUsage): string {
    if (cost !== undefined) this.#addCost(cost)
    return this.#release() + (this.#writer.nativeEnd?.() ?? '')
  }

  fail(error: ErrorBody, status: number): string {
    return this.#writer.fail(error, status)
  }

  /** To the last event that has usage. */
  #addCost(cost: number): void {
    for (const [at, event] of [...this.#held.entries()].toReversed()) {
      const data = this.#codec?.addCost?.(event.data, cost) ?? event.data
      if (data === event.data) continue
      this.#held[at] = { ...event, data }
      return
    }
  }

  #release(): string {
    if (this.#held.length === 0) return ''
    const events = this.#held
    this.#held = []
    this.#heldLength = 0
    return events.map((event) => this.#format(event)).join('')
  }

  #format({ event, data }: NativeEvent): string {
    return this.#writer.nativeEvent?.(data) ?? formatSseEvent(event, data)
  }
}

function formatSseEvent(event: string | null, data: string): string {
  const lines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data
  return `${event === null ? '' : `event: ${event}\n`}data: ${lines}\n\n`
}
