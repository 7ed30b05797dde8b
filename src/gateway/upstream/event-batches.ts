import type { ChatEvent, EventBatches } from '../formats/chat/events.ts'
import { emptyAnswer, type UpstreamFailure, withUsage } from '../formats/chat/failure.ts'
import type { Exchange } from './exchange.ts'
import { toUpstreamFailure } from './network-failure.ts'
import type { Watchdog } from './watchdog.ts'

/** Where a stream comes from, in any form. */
export interface AnswerSource {
  response: Exchange
  watchdog: Watchdog
  redact(failure: UpstreamFailure): UpstreamFailure
}

/** Finds the events in a response's bytes. Nothing follows a `done` or `failed`. */
export interface BatchParser {
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
export async function openBatches(source: AnswerSource, parser: BatchParser): Promise<EventBatches> {
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
