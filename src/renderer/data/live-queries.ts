import { keepPreviousData, notifyManager, type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { LiveEvent } from '../../shared/api/events.ts'
import { type Query, query, queryClient, refresh, throttle } from './query-client.ts'

type EventListener = (events: readonly LiveEvent[]) => void

/** Three frames. Under load, requests, their keys and the account change many times in one frame. */
const PAUSE_MS = 50
let timer: ReturnType<typeof setTimeout> | undefined
/** Events that have not been applied yet. */
let received: LiveEvent[] = []
/** For each read in progress, the events received since it started. They are newer than its response. */
const reads = new Set<LiveEvent[]>()
const listeners = new Set<EventListener>()

interface LiveQuery<T> {
  queryKey: QueryKey
  read: () => Promise<T>
  /** Returns the same object when no event affects it. */
  apply: (data: T, events: readonly LiveEvent[]) => T
  /** Combines a response with the data that it replaces. */
  merge?: (response: T, before: T | undefined) => T
}

/** A query whose data live events update. A response that is older than an event does not overwrite it. */
export function liveQuery<T>({
  queryKey,
  read,
  apply,
  merge = (response) => response,
}: LiveQuery<T>): Query<T> {
  const cached = () => queryClient.getQueryData<T>(queryKey)
  return {
    ...query(queryKey, async () => {
      const { response, since } = await readWithEvents(read)
      return apply(merge(response, cached()), since)
    }),
    meta: {
      applyEvents(events) {
        const data = cached()
        if (data === undefined) return
        const next = apply(data, events)
        if (next !== data) queryClient.setQueryData<T>(queryKey, next)
      },
    },
  }
}

/** The queries to read with the first data, of modules that the window may load later. */
const firstReads = new Set<() => void>()
let isStarted = false

/** Reads now if the window has started, when it starts, and when it is connected again. */
export function readFirst(read: () => void): void {
  firstReads.add(read)
  if (isStarted) read()
}

export function runFirstReads(): void {
  isStarted = true
  for (const read of firstReads) read()
}

export function stopFirstReads(): void {
  isStarted = false
}

/** Applies an event together with others received within a few frames. */
export function receiveEvent(event: LiveEvent): void {
  queueEvent(event)
  timer ??= setTimeout(applyReceived, PAUSE_MS)
}

/** Applies the row in the response to a mutation immediately. */
export function applyResponse(event: LiveEvent): void {
  queueEvent(event)
  applyReceived()
}

/** Calls `listener` with each batch of events after it was applied. Returns a function that removes it. */
export function onEventsApplied(listener: EventListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Under load, events of a type arrive all the time, and what they change takes a while to add up. */
const REREAD_PAUSE_MS = 1000

/**
 * Reads a query, and again a moment after events of a type, which change more of it than they say. Until it is read, what was
 * shown before stays.
 */
export function useRereadQuery<T>(query: Query<T>, type: LiveEvent['type']) {
  const name = JSON.stringify(query.queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the query follows from its name
  useEffect(() => {
    const reading = throttle(() => refresh(query), REREAD_PAUSE_MS)
    const stop = onEventsApplied((events) => {
      if (events.some((event) => event.type === type)) reading.run()
    })
    return () => {
      stop()
      reading.cancel()
    }
  }, [name, type])
  return useQuery({ ...query, placeholderData: keepPreviousData })
}

export function discardReceived(): void {
  clearTimeout(timer)
  timer = undefined
  received = []
}

function queueEvent(event: LiveEvent): void {
  received.push(event)
  for (const since of reads) since.push(event)
}

function applyReceived(): void {
  const events = received
  discardReceived()
  if (events.length === 0) return
  notifyManager.batch(() => {
    for (const { meta } of queryClient.getQueryCache().getAll()) meta?.applyEvents?.(events)
  })
  for (const listener of listeners) listener(events)
}

/** Reads a response, and collects the events received while it was read. */
export async function readWithEvents<T>(
  read: () => Promise<T>,
): Promise<{ response: T; since: LiveEvent[] }> {
  const since: LiveEvent[] = []
  reads.add(since)
  try {
    const response = await read()
    // Applied later, an event received before the read started would overwrite the newer response.
    applyReceived()
    return { response, since }
  } finally {
    reads.delete(since)
  }
}
