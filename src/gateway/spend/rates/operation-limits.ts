// What a key may do besides requests to models, which have rate limits of their own. The owner of the machine, who has no key, is
// not limited.
import type { KeyState } from '../../keys/key-state.ts'
import type { Clock } from '../../platform/clock.ts'
import { GatewayError } from '../../platform/errors.ts'
import { getOrCreate } from '../../platform/maps.ts'
import { UsageWindow } from './rate-limits.ts'

const PER_MINUTE = { requests: 600, tokens: Infinity }
const MAX_STREAMS = 20
/** A guess: an event stream ends when its client does. */
const STREAM_RETRY_SECONDS = 30

export class OperationLimits {
  readonly #clock: Clock
  readonly #windows = new WeakMap<KeyState, UsageWindow>()
  readonly #streams = new WeakMap<KeyState, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a request. Throws 429 with `Retry-After` when the minute has had too many. */
  admit(key: KeyState): void {
    const now = this.#clock.monotonic()
    const window = getOrCreate(this.#windows, key, () => new UsageWindow())
    const seconds = Math.ceil(window.waitMs(now, PER_MINUTE, 0) / 1000)
    if (seconds > 0) {
      const limit = `The key "${key.name}" has made ${PER_MINUTE.requests} requests other than requests to models within a minute.`
      throw tooMany('operation_rate_limit', `${limit} Try again in ${seconds} s.`, seconds)
    }
    window.add(now, 0)
  }

  /** Counts an event stream until the returned function is called. Throws 429 when the key has too many. */
  openStream(key: KeyState): () => void {
    const count = this.#streams.get(key) ?? 0
    if (count >= MAX_STREAMS) {
      const limit = `The key "${key.name}" has ${MAX_STREAMS} open event streams, which is the limit.`
      throw tooMany('too_many_event_streams', `${limit} Close one first.`, STREAM_RETRY_SECONDS)
    }
    this.#streams.set(key, count + 1)
    return () => void this.#streams.set(key, (this.#streams.get(key) ?? 1) - 1)
  }
}

function tooMany(code: string, message: string, seconds: number): GatewayError {
  return new GatewayError({ status: 429, code, message, headers: { 'retry-after': String(seconds) } })
}
