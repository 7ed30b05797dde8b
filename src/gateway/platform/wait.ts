import { type Clock, timersOf } from './clock.ts'

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
  /** Ends the wait, or returns the milliseconds until it is called again. */
  onTimeout(): number
  /** Called once, however the wait ends. */
  onEnd(): void
}

/** Starts a wait that the caller ends. It rejects with the signal's reason when that aborts. */
export function startWait<T>({ clock, signal, ms, onTimeout, onEnd }: WaitOptions): Wait<T> {
  const timers = timersOf(clock)
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
  const handleTimeout = () => {
    const againInMs = onTimeout()
    if (open) timer = timers.setTimeout(handleTimeout, againInMs)
  }
  let timer = timers.setTimeout(handleTimeout, ms)
  signal.addEventListener('abort', abort, { once: true })
  return {
    promise,
    resolve: (value) => end(() => resolve(value)),
    reject: (reason) => end(() => reject(reason)),
  }
}
