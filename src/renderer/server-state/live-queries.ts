import { notifyManager, type QueryKey } from '@tanstack/react-query'
import type { LiveEvent } from '../../shared/events.ts'
import { type Query, query, queryClient } from './query-client.ts'

type EventListener = (events: readonly LiveEvent[]) => void

/** Three frames: under load requests, their keys and the account change many times in one, and are drawn once. */
const PAUSE_MS = 50
let timer: ReturnType<typeof setTimeout> | undefined
/** Received, but not applied yet. */
let received: LiveEvent[] = []
/** For each read under way, the events received since it began: they are newer than its answer. */
const reads = new Set<LiveEvent[]>()
const listeners = new Set<EventListener>()

interface LiveQuery<T> {
  queryKey: QueryKey
  read: () => Promise<T>
  /** Returns the same object when no event concerns it. */
  apply: (data: T, events: readonly LiveEvent[]) => T
  /** Combines an answer with the data it takes the place of. */
  merge?: (answer: T, before: T | undefined) => T
}

/** A query whose data live events change. An answer that is older than such a change does not undo it. */
export function liveQuery<T>({ queryKey, read, apply, merge = (answer) => answer }: LiveQuery<T>): Query<T> {
  const cached = () => queryClient.getQueryData<T>(queryKey)
  return {
    ...query(queryKey, async () => {
      const { answer, since } = await readWithEvents(read)
      return apply(merge(answer, cached()), since)
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

/** Applies an event together with others that are received within a few frames. */
export function receiveEvent(event: LiveEvent): void {
  hold(event)
  timer ??= setTimeout(applyReceived, PAUSE_MS)
}

/** Applies the row that a change was answered with, at once. */
export function receiveAnswer(event: LiveEvent): void {
  hold(event)
  applyReceived()
}

/** Calls `listener` with the events of each batch, after they were applied. Returns how to stop. */
export function onEventsApplied(listener: EventListener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function discardReceived(): void {
  clearTimeout(timer)
  timer = undefined
  received = []
}

function hold(event: LiveEvent): void {
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

/** Reads an answer, and collects the events that are newer than it. */
export async function readWithEvents<T>(read: () => Promise<T>): Promise<{ answer: T; since: LiveEvent[] }> {
  const since: LiveEvent[] = []
  reads.add(since)
  try {
    const answer = await read()
    // Applied later, an event received before the read began would overwrite the newer answer.
    applyReceived()
    return { answer, since }
  } finally {
    reads.delete(since)
  }
}
