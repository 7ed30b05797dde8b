import { setTimeout as delay } from 'node:timers/promises'
import { addUsd, ZERO_USD } from '../../shared/money.ts'
import type { AccountService } from '../billing/account.ts'
import type { Budget, Reservation } from '../billing/budget.ts'
import type { CapAlerts } from '../billing/cap-alerts.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { Clock } from '../platform/clock.ts'
import { type GatewayError, serverError } from '../platform/errors.ts'
import type { EventHub } from '../platform/events.ts'
import type { Log } from '../platform/log.ts'
import type { Records } from '../request-log/records.ts'
import type { RepeatCounter } from '../request-log/repeat-counter.ts'
import {
  type NewRequest,
  type RefusedRequest,
  type Settlement,
  type Store,
  type StoredRequest,
  StoreError,
} from '../store/store.ts'
import type { Charge } from './charge.ts'
import { type Outcome, openedRow, type Refusal, settledFields, settlementOf } from './ledger-rows.ts'

const SETTLE_RETRY_MS = 1_000
const MAX_SETTLE_RETRY_MS = 60_000

/** A request whose row is written, until it is settled. */
export interface Entry {
  row: StoredRequest
  reservation: Reservation
  settled: boolean
}

/**
 * Records each request: its row is durable before anything is sent upstream, and it is settled exactly once, with a durable
 * charge before the last bytes reach the client.
 */
export class Ledger {
  readonly #store: Store
  readonly #clock: Clock
  readonly #keys: ApiKeys
  readonly #account: AccountService
  readonly #budget: Budget
  readonly #alerts: CapAlerts
  readonly #records: Records
  readonly #events: EventHub
  readonly #log: Log
  readonly #refusals: RepeatCounter<Refusal>
  #closing = false

  constructor(deps: {
    store: Store
    clock: Clock
    keys: ApiKeys
    account: AccountService
    budget: Budget
    alerts: CapAlerts
    records: Records
    events: EventHub
    log: Log
    refusals: RepeatCounter<Refusal>
  }) {
    this.#store = deps.store
    this.#clock = deps.clock
    this.#keys = deps.keys
    this.#account = deps.account
    this.#budget = deps.budget
    this.#alerts = deps.alerts
    this.#records = deps.records
    this.#events = deps.events
    this.#log = deps.log
    this.#refusals = deps.refusals
    this.#refusals.onCount = (row) => this.#recount(row)
  }

  /** Durable before an upstream is called. Throws 503 when it cannot be written (a full disk): nothing is sent then. */
  async open(request: NewRequest, reservation: Reservation): Promise<Entry> {
    await this.#store.write('openRequest', request).catch((err: unknown) => {
      this.#log.error('A request could not be stored', { requestId: request.id, err })
      throw unwritable(err)
    })
    const row = openedRow(request)
    this.#publish(row)
    return { row, reservation, settled: false }
  }

  /**
   * Resolves with true when the charge is durable. When it cannot be written, the charge counts against the caps all the
   * same, the write is retried until it succeeds, and this resolves with false. Settling again does nothing.
   */
  async settle(entry: Entry, outcome: Outcome): Promise<boolean> {
    if (entry.settled) return true
    const settlement = settlementOf(entry.row, outcome, this.#clock.now())
    entry.settled = true
    const durable = await this.#write(settlement)
    if (!durable) void this.#retryWrite(settlement)
    try {
      this.#charge(entry, outcome.charge)
    } finally {
      this.#budget.release(entry.reservation)
    }
    Object.assign(entry.row, settledFields(settlement))
    this.#publish(entry.row)
    this.#keys.announce(entry.reservation.key)
    this.#account.announce()
    return durable
  }

  /**
   * Records a refused request for the user to see, on a best-effort basis. All with the same key, model and reason within
   * a minute are one row.
   */
  recordRefused(request: RefusedRequest): void {
    const { keyId, requestedModel, httpStatus, error } = request
    const kind = JSON.stringify([keyId, requestedModel, httpStatus, error.code ?? error.type])
    const isNew = this.#refusals.add(kind, request.id, () => ({ ...request, count: 1, lastAt: null }))
    if (!isNew) return
    this.#store
      .write('recordRefused', request)
      .then((row) => this.#publish(row))
      .catch(() => undefined)
  }

  #recount({ id, count, lastAt }: Refusal): void {
    this.#store
      .write('countRefused', { id, count, lastAt })
      .then((row) => row && this.#publish(row))
      .catch(() => undefined)
  }

  /** Writes the last counts, and stops retrying failed writes: what is still open is settled by estimate at the next start. */
  close(): void {
    this.#refusals.flush()
    this.#closing = true
  }

  #charge(entry: Entry, charge: Charge): void {
    const { key } = entry.reservation
    const cost = charge.costNano ?? ZERO_USD
    const keyBefore = key.spendNano
    let monthBefore = ZERO_USD
    try {
      monthBefore = this.#account.monthSpendNano
    } finally {
      // The charge is durable already: it must count, even if this fails.
      key.spendNano = addUsd(keyBefore, cost)
      this.#account.charge(cost, entry.row.createdAt)
    }
    this.#alerts.charged(key, keyBefore, monthBefore)
  }

  async #write(settlement: Settlement): Promise<boolean> {
    try {
      await this.#store.write('settleRequest', settlement)
      return true
    } catch (err) {
      this.#log.error('A charge could not be written yet', { requestId: settlement.id, err })
      return false
    }
  }

  async #retryWrite(settlement: Settlement): Promise<void> {
    let waitMs = SETTLE_RETRY_MS
    do {
      await delay(waitMs, undefined, { ref: false })
      waitMs = Math.min(waitMs * 2, MAX_SETTLE_RETRY_MS)
    } while (!this.#closing && !(await this.#write(settlement)))
  }

  #publish(row: StoredRequest): void {
    this.#events.publish(() => ({ type: 'request', request: this.#records.view(row) }))
  }
}

/** Why a row cannot be written, and what the user can do. */
const REASONS: Partial<Record<StoreError['code'], readonly [reason: string, advice: string]>> = {
  full: ['the disk is full', 'Free some space and try again'],
  locked: ['another program holds the ledger', 'Close it and try again'],
}

function unwritable(error: unknown): GatewayError | unknown {
  if (!(error instanceof StoreError)) return error
  const [reason, advice] = REASONS[error.code] ?? ['the ledger cannot be written', 'Try again']
  return serverError(
    `The request was not sent: ${reason}, so its cost could not be recorded. ${advice}.`,
    503,
    'ledger_unavailable',
  )
}
