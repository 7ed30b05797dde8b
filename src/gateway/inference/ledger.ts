// Owns the bookkeeping of one request: written down before it is sent, settled exactly once, charged before the last
// bytes leave. Knows nothing of upstreams or clients.
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
import { type Outcome, type Refusal, settledFields, settlementOf } from './ledger-rows.ts'

const SETTLE_AGAIN_MS = 1_000
const LONGEST_SETTLE_AGAIN_MS = 60_000

/** A request that is written down and not settled yet. */
export interface Entry {
  row: StoredRequest
  reservation: Reservation
  settled: boolean
}

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
    const row = await this.#store.write('openRequest', request).catch((err: unknown) => {
      this.#log.error('A request could not be stored', { requestId: request.id, err })
      throw unwritable(err)
    })
    this.#publish(row)
    return { row, reservation, settled: false }
  }

  /**
   * Resolves when the charge is durable. A failing disk does not make a request free: the charge counts against the
   * caps at once, is written again until it succeeds, and `false` is the answer meanwhile. Settling again does nothing.
   */
  async settle(entry: Entry, outcome: Outcome): Promise<boolean> {
    if (entry.settled) return true
    const settlement = settlementOf(entry.row, outcome, this.#clock.now())
    entry.settled = true
    const durable = await this.#write(settlement)
    if (!durable) void this.#writeUntilDone(settlement)
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
   * Notes a request that was turned away; best effort, for the user to see. Those of one key, model and reason within a
   * minute are one row, however many there are.
   */
  refused(request: RefusedRequest): void {
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

  /** Writes the last counts, and stops repeating failed writes: what is still open is settled by estimate at the next start. */
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
      // It is durable by now: whatever fails here, it counts.
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

  async #writeUntilDone(settlement: Settlement): Promise<void> {
    let waitMs = SETTLE_AGAIN_MS
    do {
      await delay(waitMs, undefined, { ref: false })
      waitMs = Math.min(waitMs * 2, LONGEST_SETTLE_AGAIN_MS)
    } while (!this.#closing && !(await this.#write(settlement)))
  }

  #publish(row: StoredRequest): void {
    this.#events.publish(() => ({ type: 'request', request: this.#records.view(row) }))
  }
}

/** Why a row cannot be written, and what helps. */
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
