import type { ErrorBody } from '../../shared/errors.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { Clock } from '../platform/clock.ts'
import { GatewayError } from '../platform/errors.ts'
import type { ClientStream } from './client-stream.ts'

/** The client closed its connection or stopped reading, so no error can be sent to it. */
export class ClientDisconnected extends Error {
  override name = 'ClientDisconnected'
}

/** The gateway aborted the request; the client gets `status` and `body`. */
export class RequestAborted extends Error {
  override name = 'RequestAborted'
  readonly status: number
  readonly body: ErrorBody
  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

/** The HTTP error for a request that was aborted before an upstream was called. Other errors are returned unchanged. */
export function toRejection(error: unknown): unknown {
  return error instanceof RequestAborted ? new GatewayError({ status: error.status, ...error.body }) : error
}

export const keyRevoked = (): RequestAborted =>
  new RequestAborted(401, {
    type: 'authentication_error',
    message: 'This API key was revoked while the request was running.',
  })

export const keyExpired = (): RequestAborted =>
  new RequestAborted(401, {
    type: 'authentication_error',
    code: 'key_expired',
    message: 'This API key expired while the request was running. Set a later end in Tollgate under Keys.',
  })

export const spendLimitReached = (body: ErrorBody): RequestAborted => new RequestAborted(402, body)

export const shuttingDown = (): RequestAborted =>
  new RequestAborted(503, {
    type: 'server_error',
    message: 'Tollgate is shutting down. Try again when it is back.',
    code: 'shutting_down',
  })

export interface InFlightRequest {
  /** Aborts with ClientDisconnected when the client leaves, or by `abort`. */
  readonly signal: AbortSignal
  /** Aborts the upstream call. The client gets `reason` when that is a `RequestAborted`. */
  abort(reason: Error): void
  /** Must be called at the end. */
  finish(): void
}

/** What a running request needs of its key. */
export type RunningKey = Pick<KeyState, 'id' | 'expiresAt'>

class Entry implements InFlightRequest {
  readonly key: RunningKey
  readonly #controller = new AbortController()
  readonly #onFinish: (entry: Entry) => void

  constructor(key: RunningKey, onFinish: (entry: Entry) => void) {
    this.key = key
    this.#onFinish = onFinish
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  finish(): void {
    this.#onFinish(this)
  }
}

/** How often the wall clock, which may jump, is compared with the end of keys that have running requests. */
const CHECK_ENDS_MS = 1_000

export class InFlightRequests {
  readonly #clock: Clock
  readonly #entries = new Set<Entry>()
  #idle: (() => void)[] = []
  #endsTimer: NodeJS.Timeout | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  start(key: RunningKey, client: Pick<ClientStream, 'onDisconnect'>): InFlightRequest {
    const entry = new Entry(key, this.#finish)
    client.onDisconnect(() => entry.abort(new ClientDisconnected()))
    this.#entries.add(entry)
    if (key.expiresAt !== null) this.endExpired()
    return entry
  }

  readonly #finish = (entry: Entry): void => {
    this.#entries.delete(entry)
    if (this.#entries.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  abortAllOf(keyId: string, reason: RequestAborted): void {
    for (const entry of this.#entries) if (entry.key.id === keyId) entry.abort(reason)
  }

  /** Aborts the requests of keys that have expired. To be called when the end of a key was changed, too. */
  endExpired(): void {
    const now = this.#clock.now()
    let next = Infinity
    for (const { key } of this.#entries) {
      if (key.expiresAt === null) continue
      if (now >= key.expiresAt) this.abortAllOf(key.id, keyExpired())
      else next = Math.min(next, key.expiresAt - now)
    }
    if (this.#endsTimer) clearTimeout(this.#endsTimer)
    this.#endsTimer =
      next === Infinity ? null : setTimeout(() => this.endExpired(), Math.min(next, CHECK_ENDS_MS)).unref()
  }

  abortAll(reason: RequestAborted): void {
    for (const entry of this.#entries) entry.abort(reason)
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }
}
