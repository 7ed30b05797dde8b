import { APPROVAL_EVENTS } from '../../features/approvals/api/terms.ts'
import type { LiveEvent } from '../../shared/api/events.ts'
import { ApiError, toApiError } from '../kit/api-error.ts'
import { firstNumbers } from '../kit/lazy-view.tsx'
import { authorizedFetch } from './api.ts'

export interface LiveListener {
  onEvent(event: LiveEvent): void
  /** Connected. With `again`, not at the first attempt: reads may have failed, and events have been missed. */
  onOpen(again: boolean): void
  /** Called with the error of the attempt to connect, or of the connection that ended. */
  onLost(error: ApiError): void
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

/** The pauses before the next attempt to connect. */
const pauses = new Set<() => void>()

/** Ends the pause before the next attempt to connect. */
export function reconnectNow(): void {
  for (const end of pauses) end()
}

async function run(listener: LiveListener, signal: AbortSignal): Promise<void> {
  let again = false
  let wait = FIRST_WAIT_MS
  while (!signal.aborted) {
    let error = toApiError(null)
    try {
      const response = await authorizedFetch('/v1/events', {
        signal,
        headers: { accept: 'text/event-stream' },
      })
      listener.onOpen(again)
      wait = FIRST_WAIT_MS
      // The parser is not among the first scripts.
      await firstNumbers
      if (response.body) for await (const event of readLiveEvents(response.body)) listener.onEvent(event)
    } catch (thrown) {
      if (thrown instanceof ApiError && (thrown.status === 401 || thrown.status === 403)) return
      error = toApiError(thrown)
    }
    if (signal.aborted) return
    listener.onLost(error)
    again = true
    await pause(wait, signal)
    wait = Math.min(wait * 2, MAX_WAIT_MS)
  }
}

/** The events of a body, in order. Skips events of unknown types. */
export async function* readLiveEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<LiveEvent> {
  const { EventSourceParserStream } = await import('eventsource-parser/stream')
  const messages = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const message of messages) {
    const event = parseJson(message.data)
    if (isLiveEvent(event)) yield event
  }
}

const TYPES: Readonly<Record<LiveEvent['type'], true>> = {
  request: true,
  key: true,
  session: true,
  account: true,
  providers: true,
  activity: true,
  'cap-alert': true,
  'guard-alert': true,
  history: true,
  plan: true,
  'plan-alert': true,
  ...APPROVAL_EVENTS,
}

function isLiveEvent(event: unknown): event is LiveEvent {
  if (typeof event !== 'object' || event === null || !('type' in event)) return false
  return typeof event.type === 'string' && Object.hasOwn(TYPES, event.type)
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
    const end = () => {
      clearTimeout(timer)
      pauses.delete(end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    pauses.add(end)
    signal.addEventListener('abort', end, { once: true })
  })
}
