// Server-sent events.
import { createParser } from 'eventsource-parser'
import type { SseEvent } from '../chat/events.ts'
import type { UpstreamFailure } from '../chat/failure.ts'

export type SseItem =
  | SseEvent
  /** A line that starts with a colon: a keep-alive, not progress of the answer. */
  | { type: 'comment' }
  /** An event exceeded the size limit. Always the last item. */
  | { type: 'malformed'; message: string }
  /** The provider reported a failure. Always the last item. */
  | { type: 'failed'; failure: UpstreamFailure }

/** Reads the events of a stream from its bytes. */
export interface StreamReader {
  /** Returns what these bytes complete. */
  read(bytes: Uint8Array): SseItem[]
  /** Called at the end of input. */
  end(): SseItem[]
}

/** The size limit of one event, or of one unterminated line. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024

/**
 * Reads server-sent events (WHATWG HTML, "Server-sent events") from bytes that may be split anywhere, even within a
 * character. Lines may end in LF, CR or CRLF. Memory is bounded by `maxBytes`.
 */
export class SseReader implements StreamReader {
  readonly #decoder = new TextDecoder()
  readonly #maxBytes: number
  readonly #parser: ReturnType<typeof createParser>
  #items: SseItem[] = []
  /** Bytes since the last complete event or comment. The parser does not buffer lines of unknown fields, so it cannot limit them. */
  #pending = 0
  #failed = false

  constructor(maxBytes = MAX_EVENT_BYTES) {
    this.#maxBytes = maxBytes
    this.#parser = createParser({
      maxBufferSize: maxBytes,
      onEvent: (message) => {
        this.#pending = 0
        this.#items.push({ type: 'event', event: message.event ?? null, data: message.data })
      },
      onComment: () => {
        this.#pending = 0
        this.#items.push({ type: 'comment' })
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') this.#fail()
      },
    })
  }

  /** Returns the events and comments that these bytes complete. */
  read(bytes: Uint8Array): SseItem[] {
    if (this.#failed) return []
    this.#pending += bytes.byteLength
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
    if (this.#pending > this.#maxBytes) this.#fail()
    return this.#take()
  }

  /** An event that lacks its final blank line at the end of input counts as complete. */
  end(): SseItem[] {
    if (this.#failed) return []
    this.#parser.feed(`${this.#decoder.decode()}\n\n`)
    return this.#take()
  }

  #fail(): void {
    if (this.#failed) return
    this.#failed = true
    this.#items.push({
      type: 'malformed',
      message: `An event of the stream exceeds ${this.#maxBytes} bytes.`,
    })
  }

  #take(): SseItem[] {
    const items = this.#items
    this.#items = []
    return items
  }
}
