import { EventSourceParserStream } from 'eventsource-parser/stream'
import { LiveEvent } from '../../shared/events.ts'
import { authorizedFetch } from '../api.ts'
import { ApiError } from '../api-error.ts'

export interface LiveListener {
  onEvent(event: LiveEvent): void
  /** Connected. With `again`, events since the connection was lost were missed. */
  onOpen(again: boolean): void
  onLost(): void
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 15_000

/**
 * Stays connected to `GET /v1/events` until the returned function is called. It uses `fetch`, as `EventSource` cannot send
 * an authorization header.
 */
export function connectEvents(listener: LiveListener): () => void {
  const stop = new AbortController()
  void run(listener, stop.signal)
  return () => stop.abort()
}

async function run(listener: LiveListener, signal: AbortSignal): Promise<void> {
  let opened = false
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      const response = await authorizedFetch('/v1/events', {
        signal,
        headers: { accept: 'text/event-stream' },
      })
      listener.onOpen(opened)
      opened = true
      wait = FIRST_WAIT_MS
      if (response.body) for await (const event of readLiveEvents(response.body)) listener.onEvent(event)
    } catch (thrown) {
      if (thrown instanceof ApiError && (thrown.status === 401 || thrown.status === 403)) return
    }
    if (signal.aborted) return
    listener.onLost()
    await pause(wait, signal)
    wait = Math.min(wait * 2, MAX_WAIT_MS)
  }
}

/** The events of a body, in order. Skips events of unknown types. */
export async function* readLiveEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<LiveEvent> {
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const message of messages) {
    const event = LiveEvent.safeParse(parseJson(message.data))
    if (event.success) yield event.data
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
