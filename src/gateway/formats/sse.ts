// Owns the step from bytes to server-sent events. Knows nothing of what the events mean.
import { createParser } from 'eventsource-parser'

export interface SseEvent {
  type: 'event'
  /** The `event:` field; null when the event has none. */
  event: string | null
  data: string
}

export type SseItem =
  | SseEvent
  /** A line that starts with a colon. It says that the connection lives, not that an answer is coming. */
  | { type: 'comment' }
  /** Too much for one event. Always the last item. */
  | { type: 'malformed'; message: string }

/** The most that one event, or one line that does not end, may take, in bytes. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024

/**
 * Reads server-sent events (WHATWG HTML, "Server-sent events") out of bytes that may be split anywhere, inside a
 * character included. Lines may end in LF, CR or CRLF. Memory is bounded by `maxBytes`.
 */
export class SseReader {
  readonly #decoder = new TextDecoder()
  readonly #maxBytes: number
  readonly #parser: ReturnType<typeof createParser>
  #items: SseItem[] = []
  /** Bytes since the last whole event or comment: a line of an unknown field is never buffered, yet has an end. */
  #pending = 0
  #broken = false

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
        if (error.type === 'max-buffer-size-exceeded') this.#break()
      },
    })
  }

  /** The events and comments that these bytes complete. */
  read(bytes: Uint8Array): SseItem[] {
    if (this.#broken) return []
    this.#pending += bytes.byteLength
    this.#parser.feed(this.#decoder.decode(bytes, { stream: true }))
    if (this.#pending > this.#maxBytes) this.#break()
    return this.#take()
  }

  /** What the end of input completes: an event whose blank line never came counts as sent. */
  end(): SseItem[] {
    if (this.#broken) return []
    this.#parser.feed(`${this.#decoder.decode()}\n\n`)
    return this.#take()
  }

  #break(): void {
    if (this.#broken) return
    this.#broken = true
    this.#items.push({
      type: 'malformed',
      message: `One event of the stream is over ${this.#maxBytes} bytes.`,
    })
  }

  #take(): SseItem[] {
    const items = this.#items
    this.#items = []
    return items
  }
}
