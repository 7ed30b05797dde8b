// A bounded wait for something that others decide.

export interface Wait<T> {
  readonly promise: Promise<T>
  /** Each ends the wait; a second time does nothing. */
  resolve(value: T): void
  reject(reason: unknown): void
}

export interface WaitOptions {
  signal: AbortSignal
  /** Milliseconds until `over` is called. */
  ms: number
  /** The time is over: ends the wait, or says after how many milliseconds to be called again. */
  over(): number
  /** Called once, however the wait ends. */
  ended(): void
}

/** Starts a wait. It rejects with the signal's reason when that aborts. */
export function startWait<T>({ signal, ms, over, ended }: WaitOptions): Wait<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let open = true
  const end = (then: () => void) => {
    if (!open) return
    open = false
    clearTimeout(timer)
    signal.removeEventListener('abort', aborted)
    ended()
    then()
  }
  const aborted = () => end(() => reject(signal.reason))
  const look = () => {
    const again = over()
    if (open) timer = setTimeout(look, again)
  }
  let timer = setTimeout(look, ms)
  signal.addEventListener('abort', aborted, { once: true })
  return {
    promise,
    resolve: (value) => end(() => resolve(value)),
    reject: (reason) => end(() => reject(reason)),
  }
}
