import type { ErrorBody } from '../../../shared/api/errors.ts'
import { ZERO_USD } from '../../../shared/money/money.ts'
import { type Clock, getTimers } from '../../platform/clock.ts'
import type { GatewayError } from '../../platform/errors.ts'
import { callerText } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type OrderedPosition, positionIn } from '../../store/listings/request-order.ts'
import type { RequestOrder, TotalsFilter } from '../../store/store.ts'
import { clientName } from '../../store/sums/client-name.ts'

const MAX_ROWS = 500
const LOG_INTERVAL_MS = 60_000
const MAX_NAME_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

/** Refused, not rejected, so these have a row in the ledger: a cap or limit is reached, or the key was revoked. */
const REFUSED_STATUSES = new Set([401, 402, 429])
/** Refused as well: the key, or everything, is paused. */
const REFUSED_CODES: ReadonlySet<string | undefined> = new Set(['key_paused', 'paused'])

/** Whether the error rejects a call as invalid, so that it never becomes a request to a model. */
export function isRejection({ status, body: { code } }: Pick<GatewayError, 'status' | 'body'>): boolean {
  return status >= 400 && status <= 499 && !REFUSED_STATUSES.has(status) && !REFUSED_CODES.has(code)
}

export interface RejectedCall {
  id: string
  keyId: string
  /** Method and path, without a query. */
  endpoint: string
  /** Null where the call names no known model. */
  requestedModel: string | null
  stream: boolean
  httpStatus: number
  error: ErrorBody
  client: string | null
}

export interface Rejection extends RejectedCall, Countable {
  createdAt: number
}

/** The most recent rejected calls of valid keys, in memory. They cost nothing; the ledger does not have them. */
export class Rejections {
  readonly #clock: Clock
  readonly #log: Log
  readonly #repeats: RepeatCounter<Rejection>
  /** Oldest first. */
  readonly #rows: Rejection[] = []
  readonly #loggedAt = new Map<string, number>()
  readonly #onChange: (row: Rejection) => void

  /** `onChange` is called with every new row, and with rows whose count has risen. */
  constructor(clock: Clock, log: Log, onChange: (row: Rejection) => void) {
    this.#clock = clock
    this.#log = log
    this.#onChange = onChange
    this.#repeats = new RepeatCounter(clock, onChange)
  }

  add(call: RejectedCall): void {
    const shown = truncateTexts(call)
    const { keyId, endpoint, requestedModel, httpStatus, error } = shown
    const reason = [httpStatus, error.code ?? error.type, error.param]
    const kind = JSON.stringify([keyId, endpoint, requestedModel, ...reason])
    const row = this.#repeats.add(kind, call.id, () => this.#rowFor(shown))
    if (!row) return
    this.#rows.push(row)
    if (this.#rows.length > MAX_ROWS) this.#rows.shift()
    this.#logOncePerMinute(row)
    this.#onChange(row)
  }

  /** The row of a call, whether the call created it or was counted in it. */
  find(id: string): Rejection | undefined {
    return this.#repeats.findRow(id) ?? this.#rows.find((row) => row.id === id)
  }

  /** The rows that match, newest first. */
  list(filter: TotalsFilter): Rejection[] {
    return this.#rows.filter((row) => matches(row, filter)).sort((a, b) => b.createdAt - a.createdAt)
  }

  close(): void {
    this.#repeats.flush()
  }

  #rowFor(call: RejectedCall): Rejection {
    const now = this.#clock.now()
    const newest = this.#rows.at(-1)?.createdAt ?? 0
    return {
      ...call,
      // The moments are distinct, so that a page of the listing can end at any row.
      createdAt: now <= newest && newest - now < LOG_INTERVAL_MS ? newest + 1 : now,
      count: 1,
      lastAt: null,
    }
  }

  /** One line a minute for each key and reason: a client that keeps retrying must not fill the log. */
  #logOncePerMinute({ id, keyId, endpoint, httpStatus, error, client }: Rejection): void {
    const kind = `${keyId} ${httpStatus} ${error.code ?? error.type}`
    const now = this.#clock.monotonic()
    const last = this.#loggedAt.get(kind)
    if (last !== undefined && now - last < LOG_INTERVAL_MS) return
    this.#loggedAt.set(kind, now)
    const who = client === null ? keyId : `${keyId} (${client})`
    this.#log.warn(`Rejected ${endpoint} from ${who} with ${httpStatus}: ${error.message}`, { requestId: id })
  }
}

/** Newest first, it follows the ledger's rows of the same millisecond, whose `seq` is above 0. */
export function getPosition({ createdAt }: Rejection, order: RequestOrder): OrderedPosition {
  return positionIn(order, {
    createdAt,
    seq: 0,
    costNano: ZERO_USD,
    totalMs: null,
    tokensIn: 0,
    tokensOut: 0,
  })
}

/** As the store filters its rows. A rejected call has no provider, session or tag, and costs nothing. */
function matches(row: Rejection, filter: TotalsFilter): boolean {
  const { keyId, model, provider, client, session, tag, status } = filter
  const { from, to, minCostNano = 0, costStatus, held, q } = filter
  if (keyId !== undefined && row.keyId !== keyId) return false
  if (model !== undefined && row.requestedModel !== model) return false
  if (provider !== undefined || minCostNano > 0 || held) return false
  if (session !== undefined || (tag ?? '') !== '') return false
  if (client !== undefined && clientName(row.client) !== client) return false
  if (status !== undefined && status !== 'rejected' && status !== row.httpStatus) return false
  if (from !== undefined && row.createdAt < from) return false
  if (to !== undefined && row.createdAt >= to) return false
  if (costStatus !== undefined && costStatus !== 'free') return false
  if (q === undefined) return true
  const texts = [
    row.id,
    row.requestedModel,
    row.endpoint,
    row.error.message,
    row.client,
    clientName(row.client),
  ]
  return texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()))
}

/** A client's text may be as long as a body, and is quoted in error messages. */
function truncateTexts(call: RejectedCall): RejectedCall {
  const { requestedModel, client, error } = call
  return {
    ...call,
    requestedModel: requestedModel === null ? null : callerText(requestedModel, MAX_NAME_LENGTH),
    client: client === null ? null : callerText(client, MAX_NAME_LENGTH),
    error: {
      ...error,
      message: callerText(error.message, MAX_MESSAGE_LENGTH),
      ...(error.param === undefined ? {} : { param: callerText(error.param, MAX_NAME_LENGTH) }),
    },
  }
}

const ROW_MS = 60_000
const NOTIFY_INTERVAL_MS = 1_000
const MAX_KINDS = 1_000
const MAX_IDS = 10_000

export interface Countable {
  id: string
  count: number
  /** The time of the last call; null while there is only one. */
  lastAt: number | null
}

/**
 * Counts repeated calls of one kind in one row a minute, so that a client that keeps retrying fills neither the disk nor
 * the list.
 */
export class RepeatCounter<Row extends Countable> {
  readonly #clock: Clock
  /** The open rows by kind, the oldest first. */
  readonly #open = new Map<string, { row: Row; since: number }>()
  /** The row of each call that did not create one, by the call's id. */
  readonly #rowById = new Map<string, Row>()
  readonly #changed = new Set<Row>()
  #timer: NodeJS.Timeout | null = null
  readonly #onCount: (row: Row) => void

  /** `onCount` is called with every row whose count has risen, at most once a second. */
  constructor(clock: Clock, onCount: (row: Row) => void) {
    this.#clock = clock
    this.#onCount = onCount
  }

  /** The new row when the call `id` is the first of its kind within a minute; null when it is counted in another's. */
  add(kind: string, id: string, createRow: () => Row): Row | null {
    const now = this.#clock.monotonic()
    const open = this.#open.get(kind)
    if (open && now - open.since < ROW_MS) {
      this.#count(open.row, id)
      return null
    }
    const row = createRow()
    this.#open.delete(kind)
    this.#open.set(kind, { row, since: now })
    if (this.#open.size > MAX_KINDS) dropFirst(this.#open)
    return row
  }

  /** The row that a call was counted in; undefined for a call that created a row, or that is too old. */
  findRow(id: string): Row | undefined {
    return this.#rowById.get(id)
  }

  /** Reports all counts that are pending. */
  flush(): void {
    getTimers(this.#clock).clear(this.#timer)
    this.#timer = null
    const rows = [...this.#changed]
    this.#changed.clear()
    for (const row of rows) this.#onCount(row)
  }

  #count(row: Row, id: string): void {
    row.count++
    row.lastAt = this.#clock.now()
    this.#rowById.set(id, row)
    if (this.#rowById.size > MAX_IDS) dropFirst(this.#rowById)
    this.#changed.add(row)
    this.#timer ??= getTimers(this.#clock).setTimeout(() => this.flush(), NOTIFY_INTERVAL_MS)
  }
}

function dropFirst(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
