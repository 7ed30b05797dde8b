import type { Readable } from 'node:stream'
import type { StreamParser } from '../formats/codec.ts'
import type { ChatEvent, StreamAnswer } from '../formats/events.ts'
import type { SseItem, StreamReader } from '../formats/sse.ts'
import type { ReportedUsage } from '../formats/token-usage.ts'
import { UpstreamFailure, withUsage } from '../formats/upstream-failure.ts'
import { toUpstreamFailure } from './network-failure.ts'
import { ProgressDetector } from './progress-events.ts'
import type { Watchdog } from './watchdog.ts'

/** How long the rest of a finished response may take; when it is read, its connection can be used again. */
const DRAIN_MS = 1000

/** Where a stream comes from, in any form. */
export interface AnswerSource {
  body: Readable
  watchdog: Watchdog
  stallTimeoutMs: number
  redact(failure: UpstreamFailure): UpstreamFailure
}

export interface StreamSource extends AnswerSource {
  /** Finds the events in the body's bytes. */
  reader: StreamReader
  parser: StreamParser
  /** Whether the parser adds the events as they came. */
  native: boolean
  firstByteTimeoutMs: number
}

/** Reads what comes after the end mark; a connection that does not end is closed. */
function drain(body: Readable): void {
  if (body.destroyed || body.readableEnded) return
  const timer = setTimeout(() => body.destroy(), DRAIN_MS)
  body.once('close', () => clearTimeout(timer))
  body.resume()
}

function eventsOf(
  item: SseItem,
  { parser, watchdog }: StreamSource,
  progress: ProgressDetector,
): ChatEvent[] {
  switch (item.type) {
    case 'event': {
      const events = parser.event(item)
      // Not `some`: the detector has to see every event.
      const progressing = events.filter((event) => progress.isProgress(event))
      if (progressing.length > 0 || parser.hiddenProgress) watchdog.progress()
      return events
    }
    case 'comment':
      return []
    case 'failed':
      return [item]
    case 'malformed':
      return [{ type: 'failed', failure: new UpstreamFailure({ kind: 'malformed', message: item.message }) }]
  }
}

function expectMore({ parser, watchdog, firstByteTimeoutMs, stallTimeoutMs }: StreamSource): void {
  watchdog.expect('no more of its answer', parser.worksUnseen ? firstByteTimeoutMs : stallTimeoutMs)
}

async function* parseEvents(source: StreamSource): AsyncGenerator<ChatEvent, void, void> {
  const { body, reader, parser, watchdog } = source
  const progress = new ProgressDetector()
  for await (const bytes of body.iterator({ destroyOnReturn: false })) {
    for (const item of reader.read(bytes)) {
      const before = parser.worksUnseen
      const events = eventsOf(item, source, progress)
      if (parser.worksUnseen !== before) expectMore(source)
      yield* events
    }
  }
  for (const item of reader.end()) yield* eventsOf(item, source, progress)
  if (watchdog.failure) throw watchdog.failure
  yield* parser.end()
}

/** Ends with exactly one `done` or `failed`. Then, or when it is abandoned early, timers and connection are released. */
export async function* readEvents(
  source: AnswerSource,
  parsed: AsyncIterable<ChatEvent>,
): AsyncGenerator<ChatEvent, void, void> {
  const { body, watchdog } = source
  let done = false
  try {
    for await (const event of parsed) {
      if (event.type === 'failed') {
        yield { type: 'failed', failure: source.redact(event.failure) }
        return
      }
      done = event.type === 'done'
      if (done) watchdog.dispose()
      watchdog.pause()
      yield event
      watchdog.resume()
      if (done) return
    }
  } catch (error) {
    yield { type: 'failed', failure: toUpstreamFailure(error, watchdog) }
  } finally {
    watchdog.dispose()
    if (done) drain(body)
    else body.destroy()
  }
}

/** A client of the same format sees that the model works as soon as the provider says so, such as by hidden reasoning. */
function hasBegun(event: ChatEvent, { parser }: StreamSource): boolean {
  return event.type === 'chunk' || (event.type === 'native' && parser.hiddenProgress === true)
}

/**
 * Resolves when the stream's first chunk has come. Throws the UpstreamFailure of a stream that fails before that, so
 * that the call can be retried.
 */
export async function openStream(source: StreamSource): Promise<StreamAnswer> {
  const events = await begin(readEvents(source, parseEvents(source)), {
    expectMore: () => expectMore(source),
    hasBegun: (event) => hasBegun(event, source),
  })
  return { kind: 'stream', events, ...(source.native && { native: true }) }
}

interface Beginning {
  /** Called at the first event: from then on, another time limit holds. */
  expectMore(): void
  hasBegun(event: ChatEvent): boolean
}

/** Waits for the first output, as `openStream` says. */
export async function begin(
  rest: AsyncGenerator<ChatEvent, void, void>,
  beginning: Beginning,
): Promise<AsyncIterable<ChatEvent>> {
  const first: ChatEvent[] = []
  let usage: ReportedUsage | null = null
  let switched = false
  let begun = false
  while (!begun) {
    const { value: event, done } = await rest.next()
    if (done) break
    begun = beginning.hasBegun(event)
    if (!switched) beginning.expectMore()
    switched = true
    if (event.type === 'failed') {
      await rest.return()
      throw withUsage(event.failure, usage)
    }
    if (event.type === 'done') {
      await rest.return()
      throw new UpstreamFailure({ kind: 'malformed', message: 'The stream ended without an answer.', usage })
    }
    if (event.type === 'usage') usage = event.usage
    first.push(event)
  }
  const iterator: AsyncIterator<ChatEvent> = {
    next: async () => {
      const event = first.shift()
      return event ? { done: false, value: event } : rest.next()
    },
    return: async () => {
      await rest.return()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
