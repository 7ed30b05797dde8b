import type { RunningRequest } from '../../shared/api/requests.ts'
import type { KeyState } from '../keys/key-state.ts'
import { type Clock, getTimers } from '../platform/clock.ts'
import { GatewayError, notFound } from '../platform/errors.ts'
import type { PlainHeaders } from '../platform/headers.ts'
import type { AccountService } from '../spend/account.ts'
import type { LimitReached } from '../spend/budget-errors.ts'

/** The client closed its connection or stopped reading, so no error can be sent to it. */
export class ClientDisconnected extends Error {
  override name = 'ClientDisconnected'
}

/** The gateway aborted the request; the client gets this error. */
export class RequestAborted extends GatewayError {
  override name = 'RequestAborted'
}

/** Clients do not try a request with this error again. */
const NO_RETRY = { 'x-should-retry': 'false' }

/** The user ended the request. Agents do not try it again. */
export class RequestStopped extends RequestAborted {
  override name = 'RequestStopped'
  constructor() {
    const message = 'This request was stopped in Tollgate by its user.'
    super({ status: 403, code: 'request_stopped', message, headers: NO_RETRY })
  }
}

export const keyRevoked = (): RequestAborted =>
  new RequestAborted({ status: 401, message: 'This API key was revoked while the request was running.' })

export const keyExpired = (): RequestAborted =>
  new RequestAborted({
    status: 401,
    code: 'key_expired',
    message: 'This API key expired while the request was running. Set a later end in Tollgate under Keys.',
  })

/** A limit has ended the request. */
export const limitReached = ({ limit: _, ...reason }: LimitReached): RequestAborted =>
  new RequestAborted({ status: 402, ...reason, headers: NO_RETRY })

export const shuttingDown = (): RequestAborted =>
  new RequestAborted({
    status: 503,
    code: 'shutting_down',
    message: 'Tollgate is shutting down. Try again when it is back.',
  })

/** The fields of a key that its running requests need. */
export type RunningKey = Pick<KeyState, 'id' | 'expiresAt'>

/** Why a request may not be sent to a provider now; null if it may. */
type FindPause = () => RequestAborted | null

const NEVER_PAUSED: FindPause = () => null

export class InFlightRequest {
  readonly key: RunningKey
  readonly #findPause: FindPause
  #isCalling = false
  readonly #controller = new AbortController()
  readonly #onFinish: (request: InFlightRequest) => void
  #onStopped: (() => void)[] = []
  #isFinished = false
  tracked: { id: string; describe: () => RunningRequest } | null = null

  constructor(key: RunningKey, findPause: FindPause, onFinish: (request: InFlightRequest) => void) {
    this.key = key
    this.#findPause = findPause
    this.#onFinish = onFinish
  }

  /** Aborts with ClientDisconnected when the client leaves, or by `abort`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Aborts the upstream call. The client gets `reason` when that is a `RequestAborted`. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
  }

  /** To be called right before an upstream is called, and when a call has failed: aborts if nothing may be sent now. */
  setCalling(isCalling: boolean): void {
    this.#isCalling = isCalling
    if (isCalling) this.#abortIfPaused()
  }

  /** `end`: also if a provider is answering it. */
  pause(end: boolean): void {
    if (end || !this.#isCalling) this.#abortIfPaused()
  }

  /** To be called once the request is admitted: `describe` returns what has come of it. */
  track(id: string, describe: () => RunningRequest): void {
    this.tracked = { id, describe }
  }

  /** Resolves when the request is settled. */
  stop(): Promise<void> {
    this.abort(new RequestStopped())
    if (this.#isFinished) return Promise.resolve()
    return new Promise((resolve) => this.#onStopped.push(resolve))
  }

  /** Must be called at the end. */
  finish(): void {
    this.#onFinish(this)
    this.#isFinished = true
    for (const resolve of this.#onStopped) resolve()
  }

  #abortIfPaused(): void {
    const reason = this.#findPause()
    if (reason) this.abort(reason)
  }
}

/** How often the wall clock, which may jump, is compared with the end of keys that have running requests. */
const CHECK_ENDS_MS = 1_000

export class InFlightRequests {
  readonly #clock: Clock
  readonly #entries = new Set<InFlightRequest>()
  #idle: (() => void)[] = []
  #endsTimer: NodeJS.Timeout | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.size
  }

  start(
    key: RunningKey,
    client: Pick<ClientStream, 'onDisconnect'>,
    findPause: FindPause = NEVER_PAUSED,
  ): InFlightRequest {
    const entry = new InFlightRequest(key, findPause, this.#finish)
    client.onDisconnect(() => entry.abort(new ClientDisconnected()))
    this.#entries.add(entry)
    if (key.expiresAt !== null) this.endExpired()
    return entry
  }

  readonly #finish = (entry: InFlightRequest): void => {
    this.#entries.delete(entry)
    if (this.#entries.size === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  abortAllFor(keyId: string, reason: RequestAborted): void {
    for (const entry of this.#entries) if (entry.key.id === keyId) entry.abort(reason)
  }

  /** Aborts the requests of keys that have expired. To be called when the end of a key was changed, too. */
  endExpired(): void {
    const now = this.#clock.now()
    let next = Infinity
    for (const { key } of this.#entries) {
      if (key.expiresAt === null) continue
      if (now >= key.expiresAt) this.abortAllFor(key.id, keyExpired())
      else next = Math.min(next, key.expiresAt - now)
    }
    const timers = getTimers(this.#clock)
    timers.clear(this.#endsTimer)
    this.#endsTimer =
      next === Infinity
        ? null
        : timers.setTimeout(() => this.endExpired(), Math.min(next, CHECK_ENDS_MS)).unref()
  }

  abortAll(reason: RequestAborted): void {
    for (const entry of this.#entries) entry.abort(reason)
  }

  /** The admitted requests, the oldest first. */
  list(): RunningRequest[] {
    return [...this.#entries].flatMap(({ tracked }) => (tracked ? [tracked.describe()] : []))
  }

  /** Resolves when the request is settled. Throws 404 for one that is not running. */
  async stop(id: string): Promise<void> {
    const entry = [...this.#entries].find(({ tracked }) => tracked?.id === id)
    if (!entry) throw notFound(`No request "${id}" is running. It may have ended.`)
    await entry.stop()
  }

  /**
   * To be called after a key or everything was paused. Ends what no provider is answering, such as requests that wait for
   * their budget or for a retry; with `end`, what providers are answering too.
   */
  pause({ end }: { end: boolean }): void {
    for (const entry of this.#entries) entry.pause(end)
  }

  /** Resolves when no request is in flight. */
  idle(): Promise<void> {
    if (this.#entries.size === 0) return Promise.resolve()
    return new Promise((resolve) => this.#idle.push(resolve))
  }
}

/** The response to one client, as a request writes it: either one complete answer, or a stream of server-sent events. */
export interface ClientStream {
  /** Whether the client has left before the answer is complete. */
  readonly disconnected: boolean
  /** Calls the listener, the only one, when the client leaves before the answer is complete; immediately if it has left. */
  onDisconnect(listener: () => void): void
  /** Copies what a stream sends from now on, until it is too long to be stored. */
  record(): void
  /** Everything a stream has sent so far; null when that is not recorded. */
  readonly recorded: Buffer | null
  /** Sends a complete answer. */
  send(status: number, headers: PlainHeaders, body: string | Buffer): void
  /**
   * Starts a stream. `trailers`: names of the trailers that its end will send. `keepAlive`: what is sent while nothing else is;
   * by default a comment of server-sent events, and nothing if it is null.
   */
  begin(headers: PlainHeaders, trailers: readonly string[], keepAlive?: string | null): void
  /**
   * Resolves when the client can take more, or when `aborted` aborts; never rejects. A client that is far behind because the
   * caller does not wait for that is disconnected.
   */
  write(data: string | Buffer, aborted: AbortSignal): Promise<void>
  /** Sends the last text and the trailers. */
  end(last: string, trailers: PlainHeaders): void
  /** Ends a failed stream: sends the last text and the trailers, then closes the connection. */
  endAndClose(last: string, trailers: PlainHeaders): void
  /** Closes the connection in the middle of the answer, so that the client sees that the answer is not complete. */
  abort(): void
}

/** Why a request of the key may not be sent to a provider now; null if it may. */
export function findPause(
  { name, pausedAt, pauseReason }: KeyState,
  account: Pick<AccountService, 'pausedAt'>,
): RequestAborted | null {
  if (account.pausedAt !== null) return paused('paused', ALL_PAUSED)
  if (pausedAt === null) return null
  const why = pauseReason === null ? 'is paused.' : `is paused: ${pauseReason}`
  return paused('key_paused', `The key "${name}" ${why} Resume it in Tollgate under Keys to continue.`)
}

const ALL_PAUSED =
  'Tollgate is paused: no request is sent to a model until you choose Resume in its window, its menu or its tray icon.'

/** Another attempt would be refused as well, until the user resumes. */
function paused(code: 'paused' | 'key_paused', message: string): RequestAborted {
  return new RequestAborted({ status: 403, code, message, headers: NO_RETRY })
}
