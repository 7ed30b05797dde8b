// The calls that a thread has not answered yet.
import { systemClock, type Timers, timersOf } from '../../platform/clock.ts'
import type { Call, Result } from './messages.ts'
import type { StoreErrorData } from './store-error.ts'
import { StoreError } from './store-error.ts'

export interface Caller {
  // A method, not a property: TypeScript compares its parameter bivariantly, and the operation decides the value's type.
  resolve(value: unknown): void
  reject(error: StoreError): void
}

/** How long a call that may wait does, for others to share its message and its commit with. */
const SHARING_MS = 2

/**
 * Collects calls while the thread works on a batch, and sends them as the next one. An idle thread gets its batch at the
 * end of the event loop's turn: a single call hardly waits, and calls that come together share one message and one commit.
 */
export class CallQueue {
  readonly #maxBatch: number
  readonly #send: (calls: readonly Call[]) => void
  readonly #timers: Timers
  #calls: Call[] = []
  /** Of `#calls`, in the same order. */
  #callers: Caller[] = []
  /** Of the batch that the thread works on; empty when it is idle. */
  #sent: readonly Caller[] = []
  #isScheduled = false
  #isTimerSet = false
  #onIdle: (() => void)[] = []

  constructor(maxBatch: number, send: (calls: readonly Call[]) => void, timers = timersOf(systemClock)) {
    this.#maxBatch = maxBatch
    this.#send = send
    this.#timers = timers
  }

  /** `mayWait`: the call is not urgent, and is sent with the next one, or after about two milliseconds. */
  add(call: Call, caller: Caller, mayWait = false): void {
    this.#calls.push(call)
    this.#callers.push(caller)
    if (mayWait) this.#setTimer()
    else this.#schedule()
  }

  /** Answers the batch that the thread has worked on. Returns the errors among its results. */
  answer(results: readonly Result[]): StoreError[] {
    const answered = this.#sent
    this.#sent = []
    const errors: StoreError[] = []
    let next = 0
    for (const [at, caller] of answered.entries()) {
      const result = results[next]
      if (result?.at !== at) {
        caller.resolve(undefined)
        continue
      }
      next += 1
      if ('value' in result) caller.resolve(result.value)
      else {
        const error = reviveError(result.error)
        errors.push(error)
        caller.reject(error)
      }
    }
    if (this.#calls.length > 0) this.#schedule()
    else for (const resolve of this.#onIdle.splice(0)) resolve()
    return errors
  }

  /** The thread has ended. */
  rejectAll(error: StoreError): void {
    const callers = [...this.#sent, ...this.#callers]
    this.#calls = []
    this.#callers = []
    this.#sent = []
    for (const caller of callers) caller.reject(error)
    for (const resolve of this.#onIdle.splice(0)) resolve()
  }

  /** Resolves when every call is answered. */
  idle(): Promise<void> {
    if (this.#calls.length === 0 && this.#sent.length === 0) return Promise.resolve()
    this.#schedule()
    return new Promise((resolve) => this.#onIdle.push(resolve))
  }

  /** One that is set already ends sooner, which does no harm. */
  #setTimer(): void {
    if (this.#isTimerSet) return
    this.#isTimerSet = true
    this.#timers.setTimeout(() => {
      this.#isTimerSet = false
      if (this.#calls.length > 0) this.#schedule()
    }, SHARING_MS)
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sent.length > 0) return
    this.#isScheduled = true
    this.#timers.setImmediate(() => this.#sendBatch())
  }

  #sendBatch(): void {
    this.#isScheduled = false
    if (this.#calls.length === 0) return
    const batch = this.#calls.splice(0, this.#maxBatch)
    this.#sent = this.#callers.splice(0, this.#maxBatch)
    this.#send(batch)
  }
}

export function reviveError({ code, message }: StoreErrorData): StoreError {
  return new StoreError(code, message)
}
