import { APPROVAL_EVENTS } from '../../features/approvals/api/terms.ts'
import { BATCH_EVENTS } from '../../features/batches/api/terms.ts'
import type { AlertEvent, LiveEvent } from '../../shared/api/events.ts'
import { isAlert } from '../../shared/api/terms.ts'
import { ApiError, toApiError } from '../kit/api-error.ts'
import { markConnection, markLost } from '../kit/connection.ts'
import { firstNumbers } from '../kit/lazy-view.tsx'
import { refreshActivity } from './activity.ts'
import { authorizedFetch } from './api.ts'
import { crashes } from './desktop-state.ts'
import {
  discardReceived,
  onEventsApplied,
  receiveEvent,
  runFirstReads,
  stopFirstReads,
} from './live-queries.ts'
import { queries, refreshProviders } from './queries.ts'
import { queryClient, refresh, refreshShown, throttle } from './query-client.ts'
import { refreshRunning, updateLatestRequests } from './running.ts'

const USAGE_PAUSE_MS = 1000
const RUNNING_PAUSE_MS = 250
const ACTIVITY_PAUSE_MS = 500

/** Reads everything, then keeps it current until the returned function is called. */
export function startLive(showAlert: (event: AlertEvent) => void): () => void {
  const usage = throttle(refreshUsage, USAGE_PAUSE_MS)
  const providers = throttle(refreshProviders, 0)
  const running = throttle(refreshRunning, RUNNING_PAUSE_MS)
  const activity = throttle(refreshActivity, ACTIVITY_PAUSE_MS)
  const history = throttle(refreshHistory, ACTIVITY_PAUSE_MS)
  const planStates = throttle(() => refreshShown(['plan-states']), ACTIVITY_PAUSE_MS)
  refreshAll()
  const disconnect = connectEvents({
    onEvent: receiveEvent,
    onOpen(again) {
      markConnection('live')
      // The gateway may have failed, also while the first connection waited for it.
      void refresh(crashes)
      if (!again) return
      refreshAll()
      void refreshShown(['history'])
    },
    onLost: markLost,
  })
  const stopListening = onEventsApplied((events) => {
    const requests = events.flatMap((event) => (event.type === 'request' ? [event.request] : []))
    updateLatestRequests(requests)
    if (requests.length > 0) running.run()
    if (requests.some(({ status }) => status !== 'running')) usage.run()
    if (events.some(({ type }) => type === 'providers')) providers.run()
    if (events.some(({ type }) => type === 'activity')) activity.run()
    if (events.some((event) => event.type === 'history' && event.running === null)) history.run()
    if (events.some(({ type }) => type === 'plan')) planStates.run()
    for (const event of events) {
      if (isAlert(event)) showAlert(event)
    }
  })
  const onFocus = () => {
    void refresh(queries.gateway)
    void refresh(queries.desktop)
  }
  window.addEventListener('focus', onFocus)
  return () => {
    stopFirstReads()
    disconnect()
    stopListening()
    window.removeEventListener('focus', onFocus)
    usage.cancel()
    providers.cancel()
    running.cancel()
    activity.cancel()
    planStates.cancel()
    history.cancel()
    discardReceived()
    queryClient.clear()
    // The next page that is shown, such as that for signing in, does not know yet.
    markConnection('connecting')
  }
}

/** Connects now instead of after the next pause, and reads again what the shown view lacks. */
export async function retryNow(): Promise<void> {
  reconnectNow()
  await queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null })
}

function refreshAll(): void {
  const { gateway, desktop, account, plans, keys, providers, models, settings } = queries
  for (const query of [gateway, desktop, account, plans, keys, providers, models, settings]) {
    void refresh(query)
  }
  runFirstReads()
  void refreshShown(['matching-requests'])
  void refreshShown(['plan-states'])
  void refreshShown(['request'])
  void refreshShown(['latest-request'])
  void refreshRunning()
  void refreshActivity()
  // Last, as sums over a long log take longest, and requests after them would wait.
  void refreshUsage()
}

async function refreshHistory(): Promise<void> {
  await refreshShown(['history'])
  await refreshShown(['imported-sessions'])
  await refreshShown(['usage-in'])
}

async function refreshUsage(): Promise<void> {
  await refresh(queries.usage)
  await refreshShown(['usage-in'])
}

interface LiveListener {
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
function connectEvents(listener: LiveListener): () => void {
  const stop = new AbortController()
  void run(listener, stop.signal)
  return () => stop.abort()
}

/** The pauses before the next attempt to connect. */
const pauses = new Set<() => void>()

/** Ends the pause before the next attempt to connect. */
function reconnectNow(): void {
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
  ...BATCH_EVENTS,
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
