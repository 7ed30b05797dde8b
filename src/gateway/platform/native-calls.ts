// Native calls, which cannot be interrupted: Node waits for them when the process exits.
import { systemClock } from './clock.ts'

/** Longer than any call that does not block. */
const SLOW_MS = 1_000

const calls = new Set<{ startedAt: number }>()

/** `response` settles when the call returns, which occupies one of Node's threads until then. */
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
