import { setImmediate as endTurn } from 'node:timers/promises'
import type { Dispatcher } from 'undici'
import { VirtualTime } from '../../testing/simulation/virtual-time.ts'
import { type HttpRequest, UpstreamPool } from '../connection-pool.ts'

/** Answers a call by its handler, as undici does. */
export class TimedExchange implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler
  aborted = false
  paused = false
  reason: Error | null = null

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler
  }

  /** Sends the status and headers. */
  begin(type = 'text/event-stream'): this {
    this.#handler.onResponseStart?.(this, 200, { 'content-type': type })
    return this
  }

  raw(bytes: string): this {
    if (!this.aborted) this.#handler.onResponseData?.(this, Buffer.from(bytes))
    return this
  }

  /** Sends each as one `data:` event; anything but a string as JSON. */
  data(...events: unknown[]): this {
    for (const event of events)
      this.raw(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    return this
  }

  end(): void {
    if (!this.aborted) this.#handler.onResponseEnd?.(this, {})
  }

  /** Loses the connection. */
  fail(error: Error): void {
    this.#handler.onResponseError?.(this, error)
  }

  abort(reason: Error): void {
    this.aborted = true
    this.reason = reason
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
  }
}

/** Connections in virtual time to a provider that answers as a test says. */
export class TimedPool extends UpstreamPool {
  readonly #time: VirtualTime
  readonly #answer: (exchange: TimedExchange) => void

  constructor(answer: (exchange: TimedExchange) => void) {
    const time = new VirtualTime()
    super(
      time.createClock(
        (monotonic) => monotonic,
        () => false,
      ),
    )
    this.#time = time
    this.#answer = answer
  }

  override dispatch(_request: HttpRequest, handler: Dispatcher.DispatchHandler): void {
    const exchange = new TimedExchange(handler)
    handler.onRequestStart?.(exchange, {})
    this.#answer(exchange)
  }

  after(ms: number, run: () => void): void {
    this.#time.after(ms, run)
  }

  /** Lets the time pass until the promise is settled. */
  async run<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false
    const settle = () => {
      isSettled = true
    }
    promise.then(settle, settle)
    for (;;) {
      await endTurn()
      if (isSettled) return await promise
      this.#time.step(this.#time.now + 1_000)
    }
  }
}
