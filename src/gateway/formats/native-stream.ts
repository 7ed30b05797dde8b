import type { StreamParser } from './codec.ts'
import type { ChatEvent } from './events.ts'
import type { SseEvent } from './sse.ts'

/** Adds each event as it came to the chat events that a format's parser reads from it. */
export class NativeStreamParser implements StreamParser {
  readonly #parser: StreamParser

  constructor(parser: StreamParser) {
    this.#parser = parser
  }

  get hiddenProgress(): boolean {
    return this.#parser.hiddenProgress ?? false
  }

  get worksUnseen(): boolean {
    return this.#parser.worksUnseen ?? false
  }

  event(event: SseEvent): ChatEvent[] {
    const events = this.#parser.event(event)
    const last = events.at(-1)
    // A failure is reported in our own words.
    if (last?.type === 'failed') return events
    const native: ChatEvent = { type: 'native', event: event.event, data: event.data }
    if (this.#parser.hasFinished) native.final = true
    if (last?.type === 'done') events.splice(-1, 0, native)
    else events.push(native)
    return events
  }

  end(): ChatEvent[] {
    return this.#parser.end()
  }
}
