// Owns the calls that a valid key made and that were turned away before they were requests to a model: in memory, the last
// ones, each kind one row a minute. Knows nothing of HTTP. None of it is in the ledger, and nothing of it costs anything.
import type { ErrorBody } from '../../shared/errors.ts'
import { callerText } from '../platform/caller-text.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Position } from '../store/cursor.ts'
import type { RequestFilter } from '../store/store.ts'
import { type Countable, RepeatCounter } from './repeat-counter.ts'

const MOST_ROWS = 500
const LOG_EVERY_MS = 60_000
const MOST_NAME = 200
const MOST_MESSAGE = 500

/** Not rejected but refused, with a row in the ledger: at a cap or limit, or because the key was revoked meanwhile. */
const REFUSED = new Set([401, 402, 429])

/** Whether this answer turns a call away for what it is, so that it is no request to a model. */
export function isRejection(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus <= 499 && !REFUSED.has(httpStatus)
}

export interface RejectedCall {
  id: string
  keyId: string
  /** Method and path, without a query. */
  endpoint: string
  /** Null where the call names none that is known. */
  requestedModel: string | null
  stream: boolean
  httpStatus: number
  error: ErrorBody
  client: string | null
}

export interface Rejection extends RejectedCall, Countable {
  createdAt: number
}

export class Rejections {
  readonly #clock: Clock
  readonly #log: Log
  readonly #repeats: RepeatCounter<Rejection>
  /** Oldest first. */
  readonly #rows: Rejection[] = []
  readonly #loggedAt = new Map<string, number>()
  /** Told of every new row, and of counts that have risen. */
  onChange: (row: Rejection) => void = () => {}

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
    this.#repeats = new RepeatCounter(clock)
    this.#repeats.onCount = (row) => this.onChange(row)
  }

  add(call: RejectedCall): void {
    const shown = showable(call)
    const { keyId, endpoint, requestedModel, httpStatus, error } = shown
    const reason = [httpStatus, error.code ?? error.type, error.param]
    const kind = JSON.stringify([keyId, endpoint, requestedModel, ...reason])
    const row = this.#repeats.add(kind, call.id, () => this.#rowFor(shown))
    if (!row) return
    this.#rows.push(row)
    if (this.#rows.length > MOST_ROWS) this.#rows.shift()
    this.#logSeldom(row)
    this.onChange(row)
  }

  /** The row of a call, whether it began the row or was counted in it. */
  find(id: string): Rejection | undefined {
    return this.#repeats.rowOf(id) ?? this.#rows.find((row) => row.id === id)
  }

  /** The rows that fit, newest first: those after a place in the listing and not after another. */
  list(filter: RequestFilter, after: Position | null, end: Position | null): Rejection[] {
    return this.#rows
      .filter((row) => fits(row, filter))
      .filter((row) => after === null || comesBefore(after, positionOf(row)))
      .filter((row) => end === null || comesBefore(positionOf(row), end))
      .sort((a, b) => b.createdAt - a.createdAt)
  }

  close(): void {
    this.#repeats.flush()
  }

  #rowFor(call: RejectedCall): Rejection {
    const now = this.#clock.now()
    const newest = this.#rows.at(-1)?.createdAt ?? 0
    return {
      ...call,
      // Each has a moment of its own, so that a page of the listing can end at any of them.
      createdAt: now <= newest && newest - now < LOG_EVERY_MS ? newest + 1 : now,
      count: 1,
      lastAt: null,
    }
  }

  /** One line a minute for each key and reason: a log must not grow with a program that tries and tries. */
  #logSeldom({ id, keyId, endpoint, httpStatus, error, client }: Rejection): void {
    const kind = `${keyId} ${httpStatus} ${error.code ?? error.type}`
    const now = this.#clock.monotonic()
    const last = this.#loggedAt.get(kind)
    if (last !== undefined && now - last < LOG_EVERY_MS) return
    this.#loggedAt.set(kind, now)
    const who = client === null ? keyId : `${keyId} (${client})`
    this.#log.warn(`Rejected ${endpoint} from ${who} with ${httpStatus}: ${error.message}`, { requestId: id })
  }
}

/** In the listing it stands below the ledger's rows of the same millisecond: their `seq` is above 0. */
export function positionOf({ createdAt }: Rejection): Position {
  return { createdAt, seq: 0 }
}

/** Whether `a` stands above `b` in the listing, which is newest first. */
function comesBefore(a: Position, b: Position): boolean {
  return a.createdAt === b.createdAt ? a.seq > b.seq : a.createdAt > b.createdAt
}

/** As the store filters its rows. A rejected call has no provider, and its cost is a free nothing. */
function fits(row: Rejection, filter: RequestFilter): boolean {
  const { keyId, model, provider, status, from, to, minCostNano = 0, costStatus, q } = filter
  if (keyId !== undefined && row.keyId !== keyId) return false
  if (model !== undefined && row.requestedModel !== model) return false
  if (provider !== undefined || minCostNano > 0) return false
  if (status !== undefined && status !== 'rejected' && status !== row.httpStatus) return false
  if (from !== undefined && row.createdAt < from) return false
  if (to !== undefined && row.createdAt >= to) return false
  if (costStatus !== undefined && costStatus !== 'free') return false
  if (q === undefined) return true
  const texts = [row.id, row.requestedModel, row.endpoint, row.error.message, row.client]
  return texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()))
}

/** A name that a caller gives may be as long as a body, and stands in our messages too. */
function showable(call: RejectedCall): RejectedCall {
  const { requestedModel, client, error } = call
  return {
    ...call,
    requestedModel: requestedModel === null ? null : callerText(requestedModel, MOST_NAME),
    client: client === null ? null : callerText(client, MOST_NAME),
    error: {
      ...error,
      message: callerText(error.message, MOST_MESSAGE),
      ...(error.param === undefined ? {} : { param: callerText(error.param, MOST_NAME) }),
    },
  }
}
