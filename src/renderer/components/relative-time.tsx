// Owns a moment on the screen: how long ago, the exact time under the pointer. One clock ticks for all of them.
import { useSyncExternalStore } from 'react'
import { formatAgo, formatMoment } from '../format.ts'
import { useTimeZone } from '../stores/account.ts'

const TICK_MS = 10_000
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  // While the clock ticks, a newcomer goes by it; else each would make all others be drawn again.
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, TICK_MS)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, in milliseconds since the epoch, renewed every ten seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

export function RelativeTime({ iso }: { iso: string }) {
  const timeZone = useTimeZone()
  return (
    <time dateTime={iso} title={formatMoment(iso, timeZone)}>
      {formatAgo(iso, useNow(), timeZone)}
    </time>
  )
}
