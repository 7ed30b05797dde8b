import type { SseEvent } from '../framing/sse.ts'
import { isObject, parseJson } from '../json/json.ts'
import type { StreamParser } from './codec.ts'
import type { ChatEvent } from './events.ts'

/** Adds each event as it came to the chat events that a format's parser reads from it. */
export class NativeStreamParser implements StreamParser {
  readonly #parser: StreamParser
  readonly #namesEvents: boolean

  /** `namesEvents`: clients tell events apart by their names, which some servers leave out. */
  constructor(parser: StreamParser, namesEvents = false) {
    this.#parser = parser
    this.#namesEvents = namesEvents
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
    const name = event.event ?? (this.#namesEvents ? nameIn(event.data) : null)
    const native: ChatEvent = { type: 'native', event: name, data: event.data }
    if (this.#parser.hasFinished) native.final = true
    if (last?.type === 'done') events.splice(-1, 0, native)
    else events.push(native)
    return events
  }

  end(): ChatEvent[] {
    return this.#parser.end()
  }
}

/** In these formats, the data repeats the name as its type. */
function nameIn(data: string): string | null {
  const value = parseJson(data)
  return isObject(value) && typeof value.type === 'string' && /^[\w.]+$/.test(value.type) ? value.type : null
}
