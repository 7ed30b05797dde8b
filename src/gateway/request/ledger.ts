import { type NanoUsd, ZERO_USD } from '../../shared/money/money.ts'
import type { AnswerSealer } from '../idempotency/idempotency.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { Records } from '../observe/request-log/records.ts'
import type { RepeatCounter } from '../observe/request-log/repeat-counter.ts'
import type { SessionLog } from '../observe/request-log/session-log.ts'
import { getTimers } from '../platform/clock.ts'
import type { CommonServices } from '../settings/settings.ts'
import type { AccountService } from '../spend/account.ts'
import type { Budget } from '../spend/budget.ts'
import type { Charging } from '../spend/cap-alerts.ts'
import type { Holds } from '../spend/holds.ts'
import type { Reservation } from '../spend/reservation.ts'
import {
  INITIAL_ROW,
  type NewRequest,
  type RefusedCount,
  type RefusedRequest,
  type Settlement,
  type StoredRequest,
  StoreError,
} from '../store/store.ts'
import type { Charge } from './charge.ts'
import { type InFlightRequest, RequestAborted } from './in-flight.ts'

const SETTLE_RETRY_MS = 1_000
const MAX_SETTLE_RETRY_MS = 60_000

/** A request whose row is being written, until it is settled. */
export interface Entry {
  readonly request: NewRequest
  readonly reservation: Reservation
  /** Resolves with true once the row is durable, and with false if it cannot be written. Never rejects. */
  opened: Promise<boolean>
  /** False if its row could not be inserted: it is then inserted with the settlement. */
  hasRow: boolean
  /** Why the row or the settlement could not be written: the client gets this instead of an answer, or of its end. */
  refusal: RequestAborted | null
  settled: boolean
}

const PENDING = Promise.resolve(false)
const SETTLED = Promise.resolve()

/** A row that takes longer than this to become durable is one of a disk that stalls, or of a ledger that another program holds. */
const SLOW_OPENING_MS = 50

interface LedgerDeps extends CommonServices {
  keys: ApiKeys
  account: AccountService
  budget: Budget
  holds: Holds
  charging: Charging
  records: Records
  sessionLog: SessionLog
  refusals: RepeatCounter<Refusal>
}

/**
 * Records each request. Its row is written while it is sent upstream, or before that in strict mode; nothing is answered
 * before it is durable. It is settled exactly once, with a durable charge before the last bytes reach the client.
 */
export class Ledger {
  readonly #deps: LedgerDeps
  /** The last write has failed: until one succeeds, nothing is sent upstream before its row is durable. */
  #isFailing = false
  /** When the writes of rows began that are not durable yet, the oldest first. Monotonic milliseconds. */
  readonly #openings = new Map<Entry, number>()
  #closing = false

  constructor(deps: LedgerDeps) {
    this.#deps = deps
  }

  /**
   * Writes the request's row. If that fails while the request is sent upstream, `inFlight` is aborted. In strict mode, and
   * while an earlier row has taken more than 50 ms, the result resolves once the row is durable, and rejects with 503 when it
   * cannot be written (a full disk): nothing is sent then.
   */
  open(
    request: NewRequest,
    reservation: Reservation,
    inFlight: Pick<InFlightRequest, 'abort'>,
  ): Entry | Promise<Entry> {
    const now = this.#deps.clock.monotonic()
    const isStrict = this.#isStrictAt(now)
    const entry: Entry = {
      request,
      reservation,
      opened: PENDING,
      hasRow: true,
      refusal: null,
      settled: false,
    }
    this.#openings.set(entry, now)
    entry.opened = this.#writeOpening(entry, isStrict ? null : inFlight)
    if (!isStrict) return entry
    return entry.opened.then((isOpen) => {
      if (!isOpen) throw entry.refusal
      return entry
    })
  }

  /** Whether nothing may be sent before its row is durable: a crash must not lose more than a few requests. */
  #isStrictAt(now: number): boolean {
    if (this.#isFailing || this.#deps.settings.value.durability === 'strict') return true
    const [oldest] = this.#openings.values()
    return oldest !== undefined && now - oldest > SLOW_OPENING_MS
  }

  /** `inFlight`: null for a request that was not sent yet. */
  #writeOpening(entry: Entry, inFlight: Pick<InFlightRequest, 'abort'> | null): Promise<boolean> {
    const { request } = entry
    const { store, log, sessionLog } = this.#deps
    // An answer in one piece takes its time, and a quick one is settled in the same commit.
    const mayWait = inFlight !== null && !request.stream
    const written = mayWait ? store.writeSoon('openRequest', request) : store.write('openRequest', request)
    return written.then(
      () => {
        this.#openings.delete(entry)
        this.#isFailing = false
        this.#publish(() => openedRow(request))
        sessionLog.announce(request.sessionId)
        return true
      },
      (err: unknown) => {
        this.#openings.delete(entry)
        this.#isFailing = true
        log.error('A request could not be stored', { requestId: request.id, err })
        entry.hasRow = false
        entry.refusal = storageUnavailable(err, inFlight === null ? 'unsent' : 'sent')
        inFlight?.abort(entry.refusal)
        return false
      },
    )
  }

  /** Raises the highest cost in the row of a request. Resolves with true once that is durable, with false if it cannot be written. */
  async raiseReserved({ request: { id }, opened }: Entry, nano: NanoUsd): Promise<boolean> {
    if (!(await opened)) return false
    return await this.#deps.store.write('raiseReserved', { id, nano }).then(
      () => true,
      () => false,
    )
  }

  /**
   * Resolves when the charge is durable. When it cannot be written, the charge still counts against the caps, the write is
   * retried until it succeeds, and the entry has a refusal when this resolves. Settling again does nothing.
   */
  settle(entry: Entry, outcome: Outcome): Promise<void> {
    if (entry.settled) return SETTLED
    entry.settled = true
    const intended = createSettlement(entry.request, outcome, this.#deps.clock.now())
    const hold = outcome.heldNano ? this.#deps.holds.plan(entry.reservation, outcome.heldNano) : null
    if (hold) intended.hold = hold
    const settlement = finalSettlement(entry, intended, outcome)
    return this.#write(entry, settlement, (isWritten) => {
      const written = isWritten ? settlement : finalSettlement(entry, intended, outcome)
      if (!isWritten) void this.#retryWrite(entry, written)
      this.#complete(entry, written)
    })
  }

  /** Counts the charge, and ends the reservation. */
  #complete(entry: Entry, settlement: Settlement): void {
    const { request, reservation } = entry
    const { hold } = settlement
    try {
      this.#charge(entry, settlement)
    } finally {
      if (hold) this.#deps.holds.keep(request.id, reservation, hold)
      else this.#deps.budget.release(reservation)
    }
    this.#publish(() => settledRow(request, settlement))
    this.#deps.keys.announce(reservation.subject.key)
    this.#deps.sessionLog.announce(request.sessionId)
    this.#deps.account.announce()
  }

  /**
   * Records a refused or rejected request for the user to see, on a best-effort basis. All with the same key, session, tag, model
   * and reason within a minute are one row: false for one that is counted in that of another. Rejected ones also have their endpoint.
   */
  recordRefused(request: RefusedRequest): boolean {
    const { keyId, requestedModel, httpStatus, error, sessionId, tag } = request
    const reason = [httpStatus, error.code ?? error.type]
    const place = request.status === 'rejected' ? [request.endpoint, error.param] : [sessionId, tag]
    const kind = JSON.stringify([keyId, requestedModel, ...reason, ...place])
    const isNew = this.#deps.refusals.add(kind, request.id, () => ({ ...request, count: 1, lastAt: null }))
    if (!isNew) return false
    const written = this.#deps.store
      .write('recordRefused', request)
      .then((row) => this.#publishRefused(row))
      .catch(() => undefined)
    this.#deps.records.waitFor(written)
    return true
  }

  recount({ id, count, lastAt }: Refusal): void {
    const written = this.#deps.store
      .write('countRefused', { id, count, lastAt })
      .then((row) => row && this.#publishRefused(row))
      .catch(() => undefined)
    this.#deps.records.waitFor(written)
  }

  /** Writes the last counts, and stops retrying failed writes: what is still open is settled by estimate at the next start. */
  close(): void {
    this.#deps.refusals.flush()
    this.#closing = true
  }

  #charge({ request, reservation }: Entry, { model, provider, costNano }: Settlement): void {
    this.#deps.charging.charge(costNano ?? ZERO_USD, {
      key: reservation.subject.key,
      createdAt: request.createdAt,
      model: model ?? request.requestedModel,
      provider: provider ?? '',
      tag: request.tag ?? null,
      sessionId: request.sessionId ?? null,
      agentId: request.agentId ?? null,
    })
  }

  /** Calls `onEnd` when the settlement was written, or with false when it could not be. */
  #write<T>(entry: Entry, settlement: Settlement, onEnd: (isWritten: boolean) => T): Promise<T> {
    const { store, log } = this.#deps
    const written = entry.hasRow
      ? store.write('settleRequest', settlement)
      : store.write('recordSettled', entry.request, settlement)
    return written.then(
      () => {
        this.#isFailing = false
        return onEnd(true)
      },
      (err: unknown) => {
        this.#isFailing = true
        entry.refusal ??= storageUnavailable(err, 'answered')
        log.error('A charge could not be written yet', { requestId: settlement.id, err })
        return onEnd(false)
      },
    )
  }

  async #retryWrite(entry: Entry, settlement: Settlement): Promise<void> {
    let waitMs = SETTLE_RETRY_MS
    do {
      await getTimers(this.#deps.clock).delay(waitMs, { ref: false })
      waitMs = Math.min(waitMs * 2, MAX_SETTLE_RETRY_MS)
    } while (!this.#closing && !(await this.#write(entry, settlement, (isWritten) => isWritten)))
  }

  #publishRefused(row: StoredRequest): void {
    this.#publish(() => row)
    this.#deps.sessionLog.announce(row.sessionId)
  }

  #publish(row: () => StoredRequest): void {
    this.#deps.events.publish('request', () => ({ type: 'request', request: this.#deps.records.view(row()) }))
  }
}

/**
 * The settlement, or that of an answer which the client does not get to its end, because the request could not be recorded in
 * time: what it cost stays, and a repetition learns that the answer is not known.
 */
function finalSettlement(
  { request, refusal }: Entry,
  settlement: Settlement,
  { sealUnknown }: Outcome,
): Settlement {
  if (!refusal) return settlement
  const { status, httpStatus, idempotency } = settlement
  const isSealed = idempotency !== undefined && 'sealed' in idempotency
  const late = isSealed && sealUnknown ? { ...settlement, idempotency: sealUnknown() } : settlement
  if (status !== 'succeeded') return late
  // A stream has begun with another status.
  return {
    ...late,
    status: 'failed',
    httpStatus: request.stream ? httpStatus : refusal.status,
    error: refusal.body,
  }
}

// How the outcome of a request becomes what is written to its row.

type StoredApart =
  | keyof typeof NOTHING_ELSE
  | 'id'
  | 'queueMs'
  | 'settledAt'
  | 'hold'
  | 'bodies'
  | 'idempotency'
  | 'also'

/** Columns that few requests have. */
const NOTHING_ELSE = { savedNano: null, finishReason: null }

/** How a request ended, and the charge. */
export interface Outcome extends Omit<Settlement, keyof Charge | StoredApart> {
  charge: Charge
  /** The amount that the provider may bill beyond the charge. It stays reserved for a while. */
  heldNano?: NanoUsd
  /** Why the answer ended; absent where there was none. */
  finishReason?: Settlement['finishReason']
  bodies?: Settlement['bodies'] | undefined
  idempotency?: Settlement['idempotency'] | undefined
  also?: Settlement['also'] | undefined
  /** Set for a request that gets a stored answer of the response cache. */
  savedNano?: NanoUsd
  /** Seals what is stored for replays instead if the client does not get the answer. */
  sealUnknown?: AnswerSealer['sealUnknown'] | undefined
}

/** The outcome before it is known what is stored of the bodies. */
export type FinalOutcome = Omit<Outcome, 'totalMs' | 'bodies' | 'idempotency' | 'sealUnknown'> & {
  /** Whether an upstream may have been sent the request. */
  reached: boolean
  /** As the client gets it. `body`: null for a stream that was not recorded to its end. */
  response: { status: number; headers: Record<string, string>; body: string | Buffer | null }
}

/** A refused request, and how often it was repeated. */
export type Refusal = RefusedRequest & RefusedCount

/** The row of a running request, as the store holds it. Only the store's own rows have their number. */
function openedRow({ session: _session, ...request }: NewRequest): StoredRequest {
  return { ...INITIAL_ROW, ...request, seq: 0, bodiesKept: false }
}

/** Creates the settlement that is written for an outcome. */
function createSettlement(
  { id, queueMs = null }: NewRequest,
  { charge, bodies, idempotency, also, heldNano: _held, sealUnknown: _seal, ...measured }: Outcome,
  settledAt: number,
): Settlement {
  const settlement: Settlement = { id, ...NOTHING_ELSE, ...measured, ...charge, queueMs, settledAt }
  if (bodies) settlement.bodies = bodies
  if (idempotency) settlement.idempotency = idempotency
  if (also) settlement.also = also
  return settlement
}

/** The row of a settled request, as the store holds it. */
function settledRow(
  request: NewRequest,
  { bodies, hold: _hold, idempotency: _idempotency, also: _also, ...settled }: Settlement,
): StoredRequest {
  return { ...openedRow(request), ...settled, bodiesKept: bodies !== undefined }
}

/** Why a row cannot be written, and what the user can do. */
const REASONS: Partial<Record<StoreError['code'], readonly [reason: string, advice: string]>> = {
  full: ['the disk is full', 'Free some space and try again'],
  locked: ['another program holds the ledger', 'Close it and try again'],
}

/** The outcome of a request that could not be recorded, by how far it had come. */
const WHAT = {
  unsent: 'The request was not sent',
  sent: 'The request was canceled',
  answered: 'The answer was withheld',
}

/** The error for the client when the row or the charge of its request cannot be written. */
function storageUnavailable(error: unknown, progress: keyof typeof WHAT): RequestAborted {
  const code = error instanceof StoreError ? error.code : 'failed'
  const [reason, advice] = REASONS[code] ?? ['the ledger cannot be written', 'Try again']
  return new RequestAborted({
    status: 503,
    message: `${WHAT[progress]}: ${reason}, so its cost could not be recorded. ${advice}.`,
    code: 'ledger_unavailable',
  })
}
