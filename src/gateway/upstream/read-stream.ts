import type { ChunkChoice } from '../../shared/formats/chat-completion.ts'
import type { StreamParser } from '../formats/chat/codec-types.ts'
import type { ChatEvent, EventBatches, StreamAnswer } from '../formats/chat/events.ts'
import { emptyAnswer, UpstreamFailure, withUsage } from '../formats/chat/failure.ts'
import { SOUND_HEAD_BYTES, type Sound } from '../formats/chat/pass-through.ts'
import { type ReportedUsage, tokensIn, tokensOut } from '../formats/chat/usage.ts'
import type { SseItem, StreamReader } from '../formats/framing/sse.ts'
import { toUpstreamFailure } from './network-failure.ts'
import type { UpstreamResponse } from './upstream-response.ts'
import type { Watchdog } from './watchdog.ts'

/** Where a stream comes from, in any form. */
interface AnswerSource {
  response: UpstreamResponse
  watchdog: Watchdog
  redact(failure: UpstreamFailure): UpstreamFailure
}

/** Finds the events in a response's bytes. Nothing follows a `done` or `failed`. */
interface BatchParser {
  /** Whether the answer's first output has come. */
  readonly hasBegun: boolean
  /** The events that these bytes complete. */
  read(bytes: Uint8Array): ChatEvent[]
  /** Called at the end of input, unless the last event has come: ends with it. */
  end(): ChatEvent[]
}

/**
 * Resolves when the first output has come. Throws the UpstreamFailure of a stream that fails or ends before that, so that
 * the call can be retried.
 */
async function openBatches(source: AnswerSource, parser: BatchParser): Promise<EventBatches> {
  const reader = new BatchReader(source, parser)
  const first: ChatEvent[] = []
  while (!parser.hasBegun) {
    const { value: batch } = await reader.next()
    if (batch) first.push(...batch)
    const last = first.at(-1)
    if (parser.hasBegun || (last && last.type !== 'failed' && last.type !== 'done')) continue
    const usage = first.findLast((event) => event.type === 'usage')?.usage ?? null
    if (last?.type === 'failed') throw withUsage(last.failure, usage)
    throw emptyAnswer('The stream ended without an answer.', usage)
  }
  reader.putBack(first)
  return reader
}

/** One batch for each read. After its last event, or when it is abandoned early, timers and connection are released. */
class BatchReader implements AsyncIterableIterator<readonly ChatEvent[]> {
  readonly #source: AnswerSource
  readonly #parser: BatchParser
  #first: ChatEvent[] | null = null
  #ended = false

  constructor(source: AnswerSource, parser: BatchParser) {
    this.#source = source
    this.#parser = parser
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  putBack(batch: ChatEvent[]): void {
    this.#first = batch
  }

  async next(): Promise<IteratorResult<readonly ChatEvent[], undefined>> {
    const first = this.#first
    if (first) {
      this.#first = null
      return { done: false, value: first }
    }
    if (this.#ended) return { done: true, value: undefined }
    const { watchdog } = this.#source
    watchdog.resume()
    const batch = await this.#read()
    // Time that passes while the batch is being handled is not the upstream's.
    watchdog.pause()
    return { done: false, value: batch }
  }

  async return(): Promise<IteratorResult<readonly ChatEvent[], undefined>> {
    this.#first = null
    if (!this.#ended) this.#end(false)
    return { done: true, value: undefined }
  }

  async #read(): Promise<ChatEvent[]> {
    const { response, watchdog, redact } = this.#source
    try {
      for (;;) {
        const bytes = await response.read()
        const batch = bytes ? this.#parser.read(bytes) : this.#parser.end()
        const last = batch.at(-1)
        if (!last) continue
        if (last.type === 'done') this.#end(true)
        if (last.type !== 'failed') return batch
        this.#end(false)
        return [...batch.slice(0, -1), { type: 'failed', failure: redact(last.failure) }]
      }
    } catch (error) {
      this.#end(false)
      return [{ type: 'failed', failure: toUpstreamFailure(error, watchdog) }]
    }
  }

  #end(isComplete: boolean): void {
    this.#ended = true
    const { response, watchdog } = this.#source
    watchdog.dispose()
    if (isComplete) response.drain()
    else response.destroy()
  }
}

export interface StreamSource extends AnswerSource {
  /** Finds the events in the body's bytes. */
  reader: StreamReader
  parser: StreamParser
  /** Whether the parser adds the provider's own events. */
  addsEvents: boolean
  firstByteTimeoutMs: number
  stallTimeoutMs: number
}

/**
 * Resolves when the stream's first chunk has come. Throws the UpstreamFailure of a stream that fails before that, so
 * that the call can be retried.
 */
export async function openStream(source: StreamSource): Promise<StreamAnswer> {
  const events = await openBatches(source, new EventParser(source))
  return { kind: 'stream', events, ...(source.addsEvents && { unchanged: 'events' }) }
}

/** Reads the chat events of a stream, and sets the time limits for what is to come. */
class EventParser implements BatchParser {
  readonly #source: StreamSource
  readonly #watchdog: Watchdog
  readonly #progress = new ProgressDetector()
  /** Whether an event has come: from then on, another time limit holds. */
  #switched = false
  hasBegun = false

  constructor(source: StreamSource) {
    this.#source = source
    this.#watchdog = source.watchdog
  }

  read(bytes: Uint8Array): ChatEvent[] {
    return this.#parse(this.#source.reader.read(bytes))
  }

  end(): ChatEvent[] {
    const { reader, parser } = this.#source
    const events = this.#parse(reader.end())
    if (isEnd(events.at(-1))) return events
    const last = parser.end()
    // A finish reason is an answer, although nothing came before it.
    this.hasBegun ||= last.some((event) => isOutput(event, parser))
    return [...events, ...last]
  }

  #parse(items: readonly SseItem[]): ChatEvent[] {
    const { parser } = this.#source
    const events: ChatEvent[] = []
    let progressed = false
    let workChanged = false
    for (const item of items) {
      const workedUnseen = parser.mayStall
      for (const event of listEvents(item, parser)) {
        events.push(event)
        if (this.#progress.isProgress(event)) progressed = true
        if (!this.hasBegun) this.hasBegun = isOutput(event, parser)
      }
      if (item.type === 'event' && parser.hiddenProgress) progressed = true
      if (parser.mayStall !== workedUnseen) workChanged = true
      if (isEnd(events.at(-1))) break
    }
    if (progressed) this.#watchdog.progress()
    if (workChanged || (!this.#switched && events.length > 0)) this.#expectMore()
    return events
  }

  #expectMore(): void {
    const { parser, firstByteTimeoutMs, stallTimeoutMs } = this.#source
    this.#switched = true
    this.#watchdog.expect('no more of its answer', parser.mayStall ? firstByteTimeoutMs : stallTimeoutMs)
  }
}

function listEvents(item: SseItem, parser: StreamParser): ChatEvent[] {
  switch (item.type) {
    case 'event':
      return parser.event(item)
    case 'comment':
      return []
    case 'failed':
      return [item]
    case 'malformed':
      return [{ type: 'failed', failure: new UpstreamFailure({ kind: 'malformed', message: item.message }) }]
  }
}

function isEnd(event: ChatEvent | undefined): boolean {
  return event?.type === 'done' || event?.type === 'failed'
}

/** A client of the same format sees that the model works as soon as the provider says so, such as by hidden reasoning. */
function isOutput(event: ChatEvent, { hiddenProgress }: StreamParser): boolean {
  return event.type === 'chunk' || (event.type === 'native' && hiddenProgress === true)
}

interface BytesSource extends AnswerSource {
  stallTimeoutMs: number
  mediaType: string
  /** Reads the usage of a complete answer. */
  readUsage(sound: Sound): ReportedUsage | null
}

/** Like `openStream`, for an answer that is passed through as bytes. */
export async function openBytes(source: BytesSource): Promise<StreamAnswer> {
  const events = await openBatches(source, new BytesParser(source))
  return { kind: 'stream', events, unchanged: { mediaType: source.mediaType } }
}

class BytesParser implements BatchParser {
  readonly #source: BytesSource
  readonly #sound: Sound
  hasBegun = false

  constructor(source: BytesSource) {
    this.#source = source
    this.#sound = { head: Buffer.alloc(0), length: 0, mediaType: source.mediaType }
  }

  read(bytes: Buffer): ChatEvent[] {
    const { watchdog, stallTimeoutMs } = this.#source
    if (this.hasBegun) watchdog.progress()
    else watchdog.expect('no more of its answer', stallTimeoutMs)
    this.hasBegun = true
    if (this.#sound.length === 0) this.#sound.head = Buffer.from(bytes.subarray(0, SOUND_HEAD_BYTES))
    this.#sound.length += bytes.byteLength
    return [{ type: 'bytes', bytes }]
  }

  end(): ChatEvent[] {
    const usage = this.#source.readUsage(this.#sound)
    return usage ? [{ type: 'usage', usage }, { type: 'done' }] : [{ type: 'done' }]
  }
}

// Which events of a stream show that the model is still working. All others only show that the connection is open, as
// comments do, and must not prevent the stall time-out of a provider that has stopped.

function hasValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}

/** A role alone is no content: empty chunks have one. */
function hasContent({ delta, finish_reason: finish }: ChunkChoice): boolean {
  if (finish !== null) return true
  for (const name in delta) if (name !== 'role' && hasValue(delta[name])) return true
  return false
}

class ProgressDetector {
  #tokens = 0

  /** Whether the event brings text, tool calls, an end, or a higher token count than before. */
  isProgress(event: ChatEvent): boolean {
    switch (event.type) {
      case 'chunk':
        return event.chunk.choices.some(hasContent)
      case 'usage': {
        const { buckets } = event.usage
        const tokens = tokensIn(buckets) + tokensOut(buckets)
        const grew = tokens > this.#tokens
        this.#tokens = Math.max(tokens, this.#tokens)
        return grew
      }
      case 'native':
        return false
      case 'bytes':
      case 'done':
      case 'failed':
        return true
    }
  }
}
