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

export const shuttingDown = (): Ended =>
  new Ended(503, {
    type: 'server_error',
    message: 'Tollgate is shutting down. Try again when it is back.',
    code: 'shutting_down',
  })

interface Run {
  keyId: string
  controller: AbortController
}

export class Running {
  readonly #runs = new Set<Run>()
  #idle: (() => void)[] = []

  /** Registers a request. `signal` aborts with the client's, or by `end`; `finish` must be called at the end. */
  start(keyId: string, clientSignal: AbortSignal): { signal: AbortSignal; finish(): void } {
    const run: Run = { keyId, controller: new AbortController() }
    this.#runs.add(run)
    return {
      signal: AbortSignal.any([clientSignal, run.controller.signal]),
      finish: () => {
        this.#runs.delete(run)
        if (this.#runs.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
      },
    }
  }

  get size(): number {
    return this.#runs.size
  }

  endAllOf(keyId: string, reason: Ended): void {
    for (const run of this.#runs) if (run.keyId === keyId) run.controller.abort(reason)
  }

  endAll(reason: Ended): void {
    for (const run of this.#runs) run.controller.abort(reason)
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#runs.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }
}
