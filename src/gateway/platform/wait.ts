import { type Clock, getTimers } from './clock.ts'

export interface Wait<T> {
  readonly promise: Promise<T>
  /** The first call ends the wait; later calls have no effect. */
  resolve(value: T): void
  reject(reason: unknown): void
}

export interface WaitOptions {
  clock: Clock
  signal: AbortSignal
  /** Milliseconds until `onTimeout` is called. */
  ms: number
  /** Must end the wait. */
  onTimeout(): void
  /** Called once, however the wait ends. */
  onEnd(): void
}

/** Starts a wait that the caller ends. It rejects with the signal's reason when that aborts. */
export function startWait<T>({ clock, signal, ms, onTimeout, onEnd }: WaitOptions): Wait<T> {
  const timers = getTimers(clock)
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let open = true
  const end = (then: () => void) => {
    if (!open) return
    open = false
    timers.clear(timer)
    signal.removeEventListener('abort', abort)
    onEnd()
    then()
  }
  const abort = () => end(() => reject(signal.reason))
  const timer = timers.setTimeout(onTimeout, ms)
  signal.addEventListener('abort', abort, { once: true })
  return {
    promise,
    resolve: (value) => end(() => resolve(value)),
    reject: (reason) => end(() => reject(reason)),
  }
}

/**
 * Resolves to the promise's value, or rejects with the signal's reason as soon as it aborts. After that, `onLateValue` is
 * called with the value, and a rejection is ignored.
 */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  onLateValue: (value: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        if (signal.aborted) onLateValue(value)
        else resolve(value)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}

/** Runs tasks one after another: each starts when the one before has settled, even if it failed. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#last.then(task)
    this.#last = done.catch(() => undefined)
    return done
  }

  /** Resolves when all tasks queued so far have settled. */
  async idle(): Promise<void> {
    await this.#last
  }
}
