// Wall time is stored; monotonic time measures durations and time-outs. Anything that a request may wait for takes its time
// and its timers from a clock, so that a test or the simulator can substitute another clock.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

export interface Clock {
  /** Milliseconds since the Unix epoch; may jump either way. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. */
  monotonic(): number
  /** The timers that run by this clock; the system's timers if absent. */
  readonly timers?: Timers
}

/** Timers as Node has them. */
export interface Timers {
  setTimeout(run: () => void, ms: number): NodeJS.Timeout
  setInterval(run: () => void, ms: number): NodeJS.Timeout
  /** Stops a timer of either kind. */
  clear(timer: NodeJS.Timeout | null | undefined): void
  setImmediate(run: () => void): void
  /** Resolves after `ms` milliseconds. Rejects when the signal aborts. `ref: false` lets the process end meanwhile. */
  delay(ms: number, options?: { signal?: AbortSignal; ref?: boolean }): Promise<void>
}

const systemTimers: Timers = {
  setTimeout: (run, ms) => setTimeout(run, ms),
  setInterval: (run, ms) => setInterval(run, ms),
  clear: (timer) => clearTimeout(timer ?? undefined),
  setImmediate: (run) => void setImmediate(run),
  delay: (ms, options) => delay(ms, undefined, options),
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

export function getTimers(clock: Clock): Timers {
  return clock.timers ?? systemTimers
}

/** A moment in milliseconds since the epoch as the API writes it; null for null. */
export function formatTime(ms: number): string
export function formatTime(ms: number | null): string | null
export function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
