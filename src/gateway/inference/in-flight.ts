import type { ErrorBody } from '../../shared/errors.ts'
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

class Entry implements InFlightRequest {
  readonly keyId: string
  readonly #controller = new AbortController()
  readonly #onFinish: (entry: Entry) => void

  constructor(keyId: string, onFinish: (entry: Entry) => void) {
    this.keyId = keyId
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

export class InFlightRequests {
  readonly #entries = new Set<Entry>()
  #idle: (() => void)[] = []

  start(keyId: string, client: Pick<ClientStream, 'onDisconnect'>): InFlightRequest {
    const entry = new Entry(keyId, this.#finish)
    client.onDisconnect(() => entry.abort(new ClientDisconnected()))
    this.#entries.add(entry)
    return entry
  }

  readonly #finish = (entry: Entry): void => {
    this.#entries.delete(entry)
    if (this.#entries.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  abortAllOf(keyId: string, reason: RequestAborted): void {
    for (const entry of this.#entries) if (entry.keyId === keyId) entry.abort(reason)
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
