import { UpstreamFailure } from '../formats/chat/failure.ts'
import { type Clock, getTimers, systemClock, type Timers } from '../platform/clock.ts'

function formatDuration(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${ms} ms`
}

/** The call that a watchdog ends. */
export interface Abortable {
  abort(reason: Error): void
}

/**
 * The time limits of one upstream call. Aborts what it watches when the caller's own signal aborts, when the call as a
 * whole takes too long, or when what is expected next does not come in time.
 *
 * One timer serves all limits: progress only moves the time at which the next thing is due, and the timer starts again if
 * it fires before that.
 */
export class Watchdog {
  readonly #clock: Clock
  readonly #timers: Timers
  readonly #caller: AbortSignal
  readonly #totalMs: number
  /** Monotonic milliseconds, as all times here. */
  readonly #totalAt: number
  readonly #watched: Abortable[] = []
  #what = 'nothing'
  #nextMs: number
  #nextAt: number
  #timer: NodeJS.Timeout | undefined
  #timerAt = Infinity
  #paused = false
  #failure: UpstreamFailure | null = null
  #controller: AbortController | null = null

  /** `firstByteMs`: the limit until something comes; without it, only the call as a whole is limited. */
  constructor(caller: AbortSignal, totalMs: number, firstByteMs = Infinity, clock = systemClock) {
    this.#clock = clock
    this.#timers = getTimers(clock)
    const now = clock.monotonic()
    this.#caller = caller
    this.#totalMs = totalMs
    this.#totalAt = now + totalMs
    this.#nextMs = firstByteMs
    this.#nextAt = now + firstByteMs
    this.#arm(now)
    if (caller.aborted) this.#onAbort()
    else caller.addEventListener('abort', this.#onAbort, { once: true })
  }

  /** Aborts with the failure. For what cannot be watched. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#failure) this.#controller.abort(this.#failure)
    return this.#controller.signal
  }

  /** Why this side ended the call; null when it did not. */
  get failure(): UpstreamFailure | null {
    return this.#failure
  }

  /** Throws the failure if the call was ended. */
  watch(call: Abortable): void {
    if (this.#failure) throw this.#failure
    this.#watched.push(call)
  }

  /** Sets the limit to `ms` until the next `progress`. Replaces the previous expectation. */
  expect(what: string, ms: number): void {
    const now = this.#clock.monotonic()
    this.#what = what
    this.#nextMs = ms
    this.#nextAt = now + ms
    if (this.#nextAt < this.#timerAt) this.#arm(now)
  }

  progress(): void {
    this.#nextAt = this.#clock.monotonic() + this.#nextMs
  }

  /** The reader does not read: silence is not the upstream's fault. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    const now = this.#clock.monotonic()
    if (now < this.#nextAt) return
    this.#nextAt = now + this.#nextMs
    if (this.#nextAt < this.#timerAt) this.#arm(now)
  }

  dispose(): void {
    this.#timers.clear(this.#timer)
    // Nothing starts the timer again.
    this.#timerAt = -Infinity
    this.#caller.removeEventListener('abort', this.#onAbort)
  }

  #arm(now: number): void {
    this.#timers.clear(this.#timer)
    // Time that ran out while the reader paused starts again when it resumes.
    const isDue = this.#paused && this.#nextAt <= now
    this.#timerAt = isDue ? this.#totalAt : Math.min(this.#totalAt, this.#nextAt)
    this.#timer = this.#timers.setTimeout(this.#onTimer, Math.ceil(this.#timerAt - now))
  }

  #onTimer = (): void => {
    const now = this.#clock.monotonic()
    if (now >= this.#totalAt) {
      this.#timeOut(`The answer was not complete within ${formatDuration(this.#totalMs)}.`)
    } else if (now >= this.#nextAt && !this.#paused) {
      this.#timeOut(`The provider sent ${this.#what} within ${formatDuration(this.#nextMs)}.`)
    } else {
      this.#arm(now)
    }
  }

  #onAbort = (): void => {
    const message = 'The request was ended before its answer was complete.'
    this.#end(new UpstreamFailure({ kind: 'aborted', message }))
  }

  #timeOut(message: string): void {
    this.#end(new UpstreamFailure({ kind: 'timeout', message }))
  }

  #end(failure: UpstreamFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.dispose()
    for (const call of this.#watched) call.abort(failure)
    this.#controller?.abort(failure)
  }
}
