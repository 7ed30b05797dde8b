// Calls of native code that nothing can interrupt. When the process exits, Node waits for them.
import { systemClock } from './clock.ts'

/** Longer than a call takes that waits for nothing and no one. */
const SLOW_MS = 1_000

const calls = new Set<{ startedAt: number }>()

/** `response`: of a call that keeps a thread of Node's until it is answered. */
export function noteNativeCall(response: Promise<unknown>): void {
  const call = { startedAt: systemClock.monotonic() }
  calls.add(call)
  const forget = () => {
    calls.delete(call)
  }
  response.then(forget, forget)
}

/** Whether a call has been unanswered for more than a second. */
export function hasSlowNativeCall(): boolean {
  const before = systemClock.monotonic() - SLOW_MS
  return [...calls].some(({ startedAt }) => startedAt <= before)
}
