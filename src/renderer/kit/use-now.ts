// One timer updates every relative time on the screen.
import { useSyncExternalStore } from 'react'

const TICK_MS = 10_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  // Later subscribers use the time of the last tick; a newer one would make all others render again.
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const notify of listeners) notify()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time in milliseconds since the epoch, updated every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}
