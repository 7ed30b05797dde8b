// A simulated world's view of the gateway: the amounts reserved, charged and held for each request, and the bills of each.
import { nanoUsd } from '../../../shared/money/money.ts'
import type { Entry } from '../../request/ledger.ts'
import { computeLeastLeft } from '../../spend/limit.ts'
import type { Reservation } from '../../spend/reservation.ts'
import { HOLD_MS, STRICT_HOLD_MS } from '../../store/store.ts'
import type { Bill } from './bill.ts'
import { BrokenInvariant } from './broken.ts'
import { CredentialSpread } from './credential-spread.ts'
import { checkBills, checkCharge, checkReserved, type TrackedRequest } from './invariants.ts'
import type { Row } from './limits.ts'
import { findModel } from './models.ts'
import type { RequestAction } from './plan.ts'
import type { Services } from './process.ts'

/** The number of answers from which the forecast goes by their lengths; docs/money.md. */
const ENOUGH_ANSWERS = 20
/** A request waits no longer for its budget, and a millisecond for rounding. */
const MAX_WAIT_MS = 30_001

/** The bound of a stream changes between its last extension and its end. */
const FACTOR_MARGIN = 1.5
/** The status of what could not be recorded. */
const UNRECORDED = 503

export interface ObserverDeps {
  /** Runs a check, whose failure ends the world after this step. */
  guard(check: () => void): void
  log(event: string): void
  /** The wall clock. */
  now(): number
  findRow(requestId: string): Row | null
  /** Whether rules may choose other models. */
  hasRules: boolean
  /** Whether a key has been without a cap at any time. */
  wasUncapped(key: number): boolean
}

export class Observer {
  readonly #deps: ObserverDeps
  /** The requests by the number of the action. */
  readonly tracked = new Map<number, TrackedRequest>()
  readonly #byRequestId = new Map<string, TrackedRequest>()
  readonly #byReservation = new Map<Reservation, TrackedRequest>()
  readonly #byBill = new Map<Bill, TrackedRequest>()
  /** The open reservations of the present process. */
  readonly #open = new Set<Reservation>()
  readonly #grown = new Set<Bill>()
  /** The highest cost by model, as a multiple of the reservation at the usual bounds. */
  readonly #ratios = new Map<string, number>()
  /** Requests that are over, by key and model. */
  readonly #answers = new Map<string, number>()
  /** The amount that the process has reserved for requests of earlier ones. */
  #restoredNano = 0
  #spendNano = 0
  readonly #spread = new CredentialSpread()
  /** Charges that the owner is correcting: only then may the spend fall. */
  corrections = 0
  #hasCorrected = false

  constructor(deps: ObserverDeps) {
    this.#deps = deps
  }

  /** Sees what a process reserves and charges. */
  watch(services: Services): void {
    this.#spendNano = 0
    // The present reservations are holds for requests of an earlier process.
    this.#restoredNano = services.account.reservedNano
    this.#recover(services)
    this.#watchBudget(services)
    this.#watchLedger(services)
  }

  #watchBudget({ budget }: Services): void {
    const tryReserve = budget.tryReserve.bind(budget)
    const reserve = budget.reserve.bind(budget)
    const release = budget.release.bind(budget)
    budget.tryReserve = (subject, amounts) => {
      const reservation = tryReserve(subject, amounts)
      if (reservation) this.#admitted(reservation, reservation.amount < amounts.max)
      return reservation
    }
    budget.reserve = async (subject, amounts, signal) => {
      const reservation = await reserve(subject, amounts, signal)
      this.#admitted(reservation, reservation.amount < amounts.max)
      if (reservation.waitedMs > MAX_WAIT_MS)
        throw new BrokenInvariant('end', `a request has waited ${reservation.waitedMs} ms`)
      return reservation
    }
    budget.release = (reservation) => {
      const isOwn = this.#open.delete(reservation)
      if (!isOwn && !this.#released.has(reservation)) this.#restoredNano -= reservation.amount
      this.#released.add(reservation)
      const tracked = this.#byReservation.get(reservation)
      if (tracked) {
        tracked.isOpen = false
        tracked.heldNano = 0
      }
      release(reservation)
    }
  }

  /** The reservations that were admitted with less than they ask for. */
  readonly #short = new WeakSet<Reservation>()
  readonly #released = new WeakSet<Reservation>()

  #admitted(reservation: Reservation, isShort: boolean): void {
    this.#open.add(reservation)
    if (isShort) this.#short.add(reservation)
  }

  #watchLedger({ ledger, budget, forecast }: Services): void {
    const open = ledger.open.bind(ledger)
    ledger.open = (row, reservation, inFlight) => {
      const tracked = this.tracked.get(Number(row.client?.slice('sim/'.length)))
      if (tracked) {
        const { action } = tracked
        tracked.row = row
        tracked.reservation = reservation
        tracked.isOpen = true
        tracked.isLimited = budget.isLimited(reservation)
        // Without a limit, there is nothing to be strict about.
        tracked.isStrict &&= tracked.isLimited
        tracked.cameToLimit = this.#short.has(reservation)
        tracked.peakNano = reservation.amount
        tracked.leastNano = reservation.amount
        tracked.factor = forecast.factor(forecastName(action))
        this.#byRequestId.set(row.id, tracked)
        this.#byReservation.set(reservation, tracked)
        this.#deps.log(
          `request ${action.id}: admitted, ${reservation.amount} reserved, ${computeLeastLeft(reservation.limits)} left`,
        )
      }
      const note = (entry: Entry): Entry => {
        if (tracked)
          void entry.opened.then(() => {
            tracked.isOpened = true
          })
        return entry
      }
      const entry = open(row, reservation, inFlight)
      if (!(entry instanceof Promise)) return note(entry)
      return entry.then(note, (error: unknown) => {
        // Nothing was sent, and nothing will be.
        if (tracked) tracked.isSettled = true
        throw error
      })
    }
    const settle = ledger.settle.bind(ledger)
    ledger.settle = async (entry, outcome) => {
      const tracked = entry.settled ? undefined : this.#byRequestId.get(entry.request.id)
      if (tracked) {
        const { charge, status, httpStatus, heldNano, attempts } = outcome
        tracked.charge = charge
        tracked.isLimited = budget.isLimited(entry.reservation)
        const calls = attempts.map(({ error, status }) => error ?? status).join(', ')
        this.#deps.log(
          `request ${tracked.action.id}: ${status} ${httpStatus}, ${charge.costNano} ${charge.costStatus}, to hold ${heldNano ?? 0}; ${calls}`,
        )
      }
      await settle(entry, outcome)
      if (tracked) this.#settled(tracked, entry.reservation)
    }
  }

  #settled(tracked: TrackedRequest, reservation: Reservation): void {
    tracked.isSettled = true
    tracked.isOpen = false
    const isHeld = this.#open.has(reservation)
    tracked.heldNano = isHeld ? reservation.amount : 0
    if (isHeld) tracked.heldUntil = this.#deps.now() + (tracked.isStrict ? STRICT_HOLD_MS : HOLD_MS)
    for (const bill of tracked.bills) this.#grown.add(bill)
    this.#deps.guard(() => checkCharge(tracked))
    this.#learn(tracked)
  }

  /** Learns as the forecast can from a charge. */
  #learn({ charge, leastNano, factor, action, bills }: TrackedRequest): void {
    const model = bills.at(-1)?.model.id ?? action.model
    const pair = describeAnswers({ ...action, model })
    this.#answers.set(pair, (this.#answers.get(pair) ?? 0) + 1)
    if (charge?.costStatus !== 'exact') return
    // A second call adds its own bound, and a rule that of another model.
    const isMixed = bills.length > 1 || this.#deps.hasRules
    const ratio = isMixed ? Infinity : ((charge.costNano ?? 0) * factor) / Math.max(1, leastNano)
    const name = forecastName({ ...action, model })
    this.#ratios.set(name, Math.max(ratio, this.#ratios.get(name) ?? 1))
  }

  /** A call belongs to the one request with its Idempotency-Key that runs. */
  called(bill: Bill): void {
    for (const tracked of this.tracked.values()) {
      const { action, isLost, isSettled, row } = tracked
      if (isLost || isSettled || row === null || (action.repeats ?? action.id) !== bill.action) continue
      this.#byBill.set(bill, tracked)
      tracked.bills.push(bill)
      const { sessionId } = row
      if (sessionId) this.#deps.guard(() => this.#spread.check(bill, sessionId))
    }
  }

  grew(bill: Bill): void {
    this.#grown.add(bill)
  }

  /** `nano`: the charge from now on; null if the correction was refused. */
  corrected(tracked: TrackedRequest, nano: number | null): void {
    this.corrections -= 1
    this.#hasCorrected = true
    if (nano !== null) tracked.charge = { costNano: nanoUsd(nano), costStatus: 'confirmed' }
  }

  /** Holds end by the wall clock, which may jump. */
  endHolds(): void {
    const now = this.#deps.now()
    for (const tracked of this.tracked.values())
      if (tracked.heldUntil !== null && now >= tracked.heldUntil) tracked.isHoldOver = true
  }

  /** The process has crashed. Returns the requests whose end is not durable. */
  crashed(): TrackedRequest[] {
    this.#open.clear()
    this.corrections = 0
    const ended: TrackedRequest[] = []
    for (const tracked of this.tracked.values()) {
      if (tracked.isLost || (tracked.seen.isClosed && (tracked.row === null || this.#isDurable(tracked))))
        continue
      tracked.isLost = true
      tracked.isOpen = false
      ended.push(tracked)
    }
    return ended
  }

  /** Whether a request that is over has its settlement in the database, or must have it. */
  #isDurable({ row, isSettled, seen }: TrackedRequest): boolean {
    if (!isSettled || row === null) return false
    const stored = this.#deps.findRow(row.id)
    return stored ? stored.costStatus !== 'pending' : seen.status !== UNRECORDED
  }

  /**
   * What a process has settled of those that an earlier one could not. What they had reserved when they were admitted is held; of a
   * stream that is less than it may be billed, unless its key is strict.
   */
  #recover({ holds }: Services): void {
    for (const tracked of this.tracked.values()) {
      const { row, isLost, isStrict, bills, action } = tracked
      const stored = isLost && row ? this.#deps.findRow(row.id) : null
      if (!row || !stored) continue
      const hold = holds.find(row.id)
      tracked.isLost = false
      tracked.isRecovered = true
      tracked.isSettled = true
      tracked.isOpened = true
      tracked.charge = { costNano: stored.costNano, costStatus: stored.costStatus }
      tracked.heldNano = hold?.nano ?? 0
      tracked.heldUntil = hold?.until ?? (stored.settledAt ?? 0) + (isStrict ? STRICT_HOLD_MS : HOLD_MS)
      const isWhole = bills.length === 1 && (isStrict || !row.stream)
      tracked.isLimited &&= isWhole && !this.#deps.wasUncapped(action.key)
    }
  }

  /** Checks the invariants of each step. Returns the keys whose bills have grown. */
  check(services: Services | null): Set<number> {
    const { guard } = this.#deps
    const keys = new Set<number>()
    for (const bill of this.#grown) {
      const tracked = this.#byBill.get(bill)
      this.#deps.log(
        `request ${tracked?.action.id}: billed ${bill.nano}${bill.isOver ? ' in all' : ''}, ${tracked?.reservation?.amount} reserved`,
      )
      if (!tracked) continue
      keys.add(tracked.action.key)
      // Known when it was admitted, or when it began to answer.
      const pair = describeAnswers({ ...tracked.action, model: bill.model.id })
      tracked.isForecast ||= (this.#answers.get(pair) ?? 0) >= ENOUGH_ANSWERS
      guard(() => checkBills(tracked))
    }
    this.#grown.clear()
    if (!services) return keys
    guard(() => this.#checkReserved(services))
    if (this.#ratios.size > 0) guard(() => this.#checkFactors(services))
    const { totalNano } = services.account.counters
    const before = this.#spendNano
    this.#spendNano = totalNano
    const mayFall = this.corrections > 0 || this.#hasCorrected
    this.#hasCorrected = false
    if (totalNano < before && !mayFall)
      guard(() => {
        throw new BrokenInvariant('books', `the spend has fallen from ${before} to ${totalNano}`)
      })
    return keys
  }

  #checkReserved({ account, keys }: Services): void {
    let keysNano = 0
    for (const key of keys.all()) keysNano += key.reservedNano
    let openNano = 0
    for (const reservation of this.#open) {
      openNano += reservation.amount
      const tracked = this.#byReservation.get(reservation)
      if (!tracked) continue
      tracked.peakNano = Math.max(tracked.peakNano, reservation.amount)
      if (!tracked.isOpen) continue
      tracked.leastNano = Math.min(tracked.leastNano, reservation.amount)
      tracked.cameToLimit ||= computeLeastLeft(reservation.limits) <= 0
    }
    checkReserved({ accountNano: account.reservedNano, keysNano, openNano, heldNano: this.#restoredNano })
  }

  #checkFactors({ forecast }: Services): void {
    for (const [name, ratio] of this.#ratios) {
      const factor = forecast.factor(name)
      if (factor > ratio * FACTOR_MARGIN)
        throw new BrokenInvariant(
          'factor',
          `the factor of ${name} is ${factor}, and no cost was above ${ratio} times its bound`,
        )
    }
  }
}

/** The forecast's name for the model of a request. */
function forecastName({ model }: RequestAction): string {
  return `${findModel(model).provider}/${model}`
}

function describeAnswers({ key, model }: RequestAction): string {
  return `${key} ${model}`
}
