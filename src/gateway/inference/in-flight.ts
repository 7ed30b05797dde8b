// Owns the register of requests that are under way, and the reasons for which one is ended early.
import type { ErrorBody } from '../../shared/errors.ts'

/** The client hung up or stopped reading. Nobody is left to be told. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** The gateway ended the request; the client is told `status` and `body`. */
export class Ended extends Error {
  override name = 'Ended'
  readonly status: number
  readonly body: ErrorBody
  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.body = body
  }
}

export const revoked = (): Ended =>
  new Ended(401, {
    type: 'authentication_error',
    message: 'This API key was revoked while the request was running.',
  })

/** A limit on spending ends a stream. */
export const spendLimitReached = (body: ErrorBody): Ended => new Ended(402, body)

export const shuttingDown = (): Ended =>
  new Ended(503, {
    type: 'server_error',
    message: 'Tollgate is shutting down. Try again when it is back.',
    code: 'shutting_down',
  })

/** A request that is under way. */
export interface Run {
  /** Aborts with the client's own signal, or by `end`. */
  readonly signal: AbortSignal
  /** Ends the request early: its upstream call is aborted, and the client is told `reason` where it is an `Ended`. */
  end(reason: Error): void
  /** Must be called at the end. */
  finish(): void
}

interface Entry {
  keyId: string
  controller: AbortController
}

export class Running {
  readonly #entries = new Set<Entry>()
  #idle: (() => void)[] = []

  /** Registers a request. */
  start(keyId: string, clientSignal: AbortSignal): Run {
    const controller = new AbortController()
    const entry: Entry = { keyId, controller }
    this.#entries.add(entry)
    return {
      signal: AbortSignal.any([clientSignal, controller.signal]),
      end: (reason) => controller.abort(reason),
      finish: () => {
        this.#entries.delete(entry)
        if (this.#entries.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
      },
    }
  }

  get size(): number {
    return this.#entries.size
  }

  endAllOf(keyId: string, reason: Ended): void {
    for (const entry of this.#entries) if (entry.keyId === keyId) entry.controller.abort(reason)
  }

  endAll(reason: Ended): void {
    for (const entry of this.#entries) entry.controller.abort(reason)
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }
}
