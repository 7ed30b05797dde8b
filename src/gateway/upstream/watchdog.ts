import { UpstreamFailure } from '../formats/upstream-failure.ts'

function formatDuration(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${ms} ms`
}

/**
 * The time limits of one upstream call. Aborts `signal` when the caller's own signal aborts, when the call as a whole
 * takes too long, or when what is expected next does not come in time.
 */
export class Watchdog {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #total: NodeJS.Timeout
  #next: NodeJS.Timeout | null = null
  #failure: UpstreamFailure | null = null
  #paused = false
  #expired: (() => void) | null = null

  constructor(caller: AbortSignal, totalMs: number) {
    this.#caller = caller
    this.#total = setTimeout(
      () => this.#timeOut(`The answer was not complete within ${formatDuration(totalMs)}.`),
      totalMs,
    )
    if (caller.aborted) this.#onAbort()
    else caller.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why this side ended the call; null when it did not. */
  get failure(): UpstreamFailure | null {
    return this.#failure
  }

  /** From now on the limit is `ms` until the next `progress`. Replaces the previous expectation. */
  expect(what: string, ms: number): void {
    this.#disarm()
    const expire = (): void => this.#timeOut(`The provider sent ${what} within ${formatDuration(ms)}.`)
    this.#next = setTimeout(() => {
      // Time that passes while the stream is not being read is the reader's, not the upstream's.
      if (this.#paused) this.#expired = expire
      else expire()
    }, ms)
  }

  progress(): void {
    this.#expired = null
    this.#next?.refresh()
  }

  /** The reader does not read: silence is not the upstream's fault. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    if (this.#expired) this.progress()
  }

  dispose(): void {
    this.#disarm()
    clearTimeout(this.#total)
    this.#caller.removeEventListener('abort', this.#onAbort)
  }

  #onAbort = (): void => {
    this.#end(
      new UpstreamFailure({
        kind: 'aborted',
        message: 'The request was ended before its answer was complete.',
      }),
    )
  }

  #timeOut(message: string): void {
    this.#end(new UpstreamFailure({ kind: 'timeout', message }))
  }

  #end(failure: UpstreamFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.dispose()
    this.#controller.abort(failure)
  }

  #disarm(): void {
    if (this.#next) clearTimeout(this.#next)
    this.#next = null
    this.#expired = null
  }
}
