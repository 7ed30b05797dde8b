// Owns the time limits and the end of one upstream call. Knows nothing of HTTP: it gives a signal that ends the call
// and, when it has barked, the reason.
import { UpstreamFailure } from '../formats/upstream-failure.ts'

function inSeconds(ms: number): string {
  return ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${ms} ms`
}

/**
 * Aborts `signal` when the caller's own signal aborts, when the whole call takes too long, or when what is
 * expected next does not come in time.
 */
export class Watchdog {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal
  readonly #whole: NodeJS.Timeout
  #next: NodeJS.Timeout | null = null
  #failure: UpstreamFailure | null = null
  #paused = false
  #missed: (() => void) | null = null

  constructor(caller: AbortSignal, totalMs: number) {
    this.#caller = caller
    this.#whole = setTimeout(
      () => this.#late(`The answer was not complete within ${inSeconds(totalMs)}.`),
      totalMs,
    )
    if (caller.aborted) this.#onAbort()
    else caller.addEventListener('abort', this.#onAbort, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Why the call was ended from this side; null when it was not. */
  get failure(): UpstreamFailure | null {
    return this.#failure
  }

  /** From now on the limit is `ms` until the next `progress`; replaces what was expected before. */
  expect(what: string, ms: number): void {
    this.#disarm()
    const bark = (): void => this.#late(`The provider sent ${what} within ${inSeconds(ms)}.`)
    this.#next = setTimeout(() => {
      // Time that passes while nobody reads is the reader's, not the upstream's.
      if (this.#paused) this.#missed = bark
      else bark()
    }, ms)
  }

  progress(): void {
    this.#missed = null
    this.#next?.refresh()
  }

  /** The reader is busy elsewhere; the upstream cannot be blamed for silence. */
  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    if (this.#missed) this.progress()
  }

  dispose(): void {
    this.#disarm()
    clearTimeout(this.#whole)
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

  #late(message: string): void {
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
    this.#missed = null
  }
}
