// A simulated world: one gateway, its disk, its vendors and its clients, in virtual time. Every step is an event of the queue
// and all that follows from it; after each, the invariants are checked.

import { left } from '../../billing/meters.ts'
import type { Reservation } from '../../billing/reservation.ts'
import type { CredentialStore } from '../../providers/credential-store.ts'
import { StoreError } from '../../store/store-error.ts'
import { createDatabase, MemoryDatabase } from '../../store/testing/memory-database.ts'
import { createMemoryCredentials } from '../gateway.ts'
import { createRandom } from '../random.ts'
import { type ClientExchange, openExchange, type Seen } from './client-exchange.ts'
import {
  Broken,
  checkBills,
  checkCap,
  checkCharge,
  checkReserved,
  type Invariant,
  type Tracked,
} from './invariants.ts'
import { findModel, models, RESPONSES_URL } from './models.ts'
import { type Action, type Plan, type RequestAction, randomOf } from './plan.ts'
import { type Services, SimulatedProcess } from './process.ts'
import { drawRequest } from './requests.ts'
import { Disk } from './store.ts'
import type { Bill } from './vendor.ts'
import { VirtualTime } from './virtual-time.ts'

/** 2026-03-10, noon UTC. */
const START_MS = Date.UTC(2026, 2, 10, 12)
/** No request takes longer: attempts, time-outs and waits. */
const LONGEST_MS = 4 * 3_600_000
/** How soon a process is started again whose store could not be opened. */
const RESTART_MS = 1_000
const MAX_STEPS = 2_000_000
/** Rows may be lost in a crash if they were sent within so many milliseconds. */
const LOST_MS = 50

interface SimulatedKey {
  id: string
  secret: string
  revokedAt: number | null
  /** The answer to its revocation. */
  revoking: Seen | null
  /** The highest cap that it has had, in nano-dollars. */
  capNano: number
  isStrict: boolean
}

/** Lets everything run that waits for nothing but this thread. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export interface SimulateOptions {
  /** Invariants that are not checked. */
  ignored?: ReadonlySet<Invariant>
  /** Told what happens, in order. */
  log?(event: string): void
}

export interface WorldResult {
  requests: number
  steps: number
  broken: Broken | null
}

class World {
  readonly #plan: Plan
  readonly #time = new VirtualTime()
  readonly #disk = new Disk()
  readonly #database: MemoryDatabase
  readonly #credentials: CredentialStore
  readonly #keys: SimulatedKey[] = []
  readonly #tracked = new Map<number, Tracked>()
  readonly #byRequestId = new Map<string, Tracked>()
  readonly #bills: Bill[] = []
  readonly #open = new Set<Reservation>()
  readonly #byReservation = new Map<Reservation, Tracked>()
  readonly #grown = new Set<Bill>()
  readonly #ignored: ReadonlySet<Invariant>
  readonly #log: (event: string) => void
  #process = new SimulatedProcess()
  #wallOffset = START_MS
  #running = 0
  #startAt = 0
  readonly #ratios = new Map<string, number>()
  /** What the process has reserved for requests of earlier ones. */
  #restoredNano = 0
  #failure: unknown = null
  #spendNano = 0
  requests = 0
  steps = 0

  constructor(plan: Plan, { bytes, credentials }: Prepared, { ignored, log }: SimulateOptions = {}) {
    this.#ignored = ignored ?? new Set()
    this.#log = log ?? (() => undefined)
    this.#plan = plan
    this.#database = new MemoryDatabase(bytes)
    this.#credentials = credentials
    if (plan.pastSpendNano > 0) this.#database.addPastSpend(plan.pastSpendNano)
  }

  /** Runs the whole plan. Throws Broken. */
  async run(): Promise<void> {
    await this.#start()
    for (const body of this.#plan.keys) await this.#createKey(body)
    this.#startAt = this.#time.now
    for (const action of this.#plan.actions)
      this.#time.after(action.at, () => this.#guard(() => this.#act(action)))
    const end = this.#time.now + (this.#plan.actions.at(-1)?.at ?? 0) + 1
    await this.#until(() => this.#time.now >= end - 1 && this.#running === 0, end + LONGEST_MS)
    if (this.#running > 0) {
      const waiting = [...this.#tracked.values()].find(({ seen }) => !seen.isClosed)
      throw new Broken('end', `request ${waiting?.action.id} has no end`)
    }
    // The disk is well again, and everything that is to be written is.
    await this.#until(() => false, this.#time.now + 120_000)
    this.#checkIdle()
    this.#crash()
    await this.#until(() => this.#process.services !== null, this.#time.now + 60_000)
    this.#checkIdle()
  }

  close(): void {
    this.#process.isOver = true
    this.#database.close()
  }

  /** The bytes of the database, from which other worlds can start. */
  async prepare(): Promise<Buffer> {
    await this.#start()
    const addresses = new Map(models.map(({ provider, format }) => [provider, format]))
    for (const [provider, format] of addresses) {
      const own = provider === 'responses-vendor' ? { apiFormat: format, baseUrl: RESPONSES_URL } : {}
      await this.#ask('PUT', `/v1/providers/${provider}`, { credential: `secret-of-${provider}`, ...own })
    }
    for (const { id, provider, prices, contextWindow, maxOutputTokens, reasons } of models) {
      const capabilities = ['vision', 'tools', 'json', 'streaming', ...(reasons ? ['reasoning'] : [])]
      const body = { provider, pricing: prices, contextWindow, maxOutputTokens, capabilities }
      await this.#ask('PUT', `/v1/models/${id}`, body)
    }
    return this.#database.bytes()
  }

  async #until(isDone: () => boolean, end: number): Promise<void> {
    await turn()
    for (;;) {
      if (isDone()) return
      const ran = this.#time.step(end)
      if (!ran) return
      await turn()
      this.#check()
      if (++this.steps > MAX_STEPS) throw new Broken('end', 'the world does not come to rest')
    }
  }

  async #start(): Promise<void> {
    const process = new SimulatedProcess()
    this.#process = process
    this.#open.clear()
    const latency = createRandom(this.#plan.seed ^ 0x5bd1e995)
    const chance = createRandom(this.#plan.seed ^ 0x2c1b3c6d)
    const started = process.start({
      time: this.#time,
      wallAt: (monotonic) => this.#wallOffset + monotonic,
      database: this.#database,
      disk: this.#disk,
      network: {
        time: this.#time,
        seed: this.#plan.seed,
        bills: this.#bills,
        onBill: (bill) => void this.#grown.add(bill),
      },
      credentials: this.#credentials,
      random: () => chance.next(),
      commitMs: () => 0.2 + latency.next() * this.#plan.slowestCommitMs,
      onCrash: () => this.#crash(),
      onCommitted: () => undefined,
    })
    const watched = started.then(
      (services) => this.#watch(services),
      (error: unknown) => {
        if (!(error instanceof StoreError)) this.#failure ??= error
        else if (!process.isOver) this.#time.after(RESTART_MS, () => this.#crash())
      },
    )
    if (this.#startAt > 0) return
    await this.#until(() => process.services !== null, this.#time.now + 60_000)
    await watched
  }

  /** Sees what is reserved and charged. */
  #watch(services: Services): void {
    const { budget, ledger } = services
    const tryReserve = budget.tryReserve.bind(budget)
    budget.tryReserve = (...args) => {
      const reservation = tryReserve(...args)
      if (reservation) this.#open.add(reservation)
      return reservation
    }
    const reserve = budget.reserve.bind(budget)
    budget.reserve = async (...args) => {
      const reservation = await reserve(...args)
      this.#open.add(reservation)
      if (reservation.waitedMs > 30_001)
        throw new Broken('end', `a request has waited ${reservation.waitedMs} ms`)
      return reservation
    }
    // What is reserved already is held for requests of an earlier process.
    this.#restoredNano = services.account.reservedNano
    const release = budget.release.bind(budget)
    budget.release = (reservation) => {
      const isOwn = this.#open.delete(reservation)
      const before = services.account.reservedNano
      const tracked = this.#byReservation.get(reservation)
      if (tracked) {
        tracked.isOpen = false
        tracked.heldNano = 0
      }
      release(reservation)
      if (!isOwn) this.#restoredNano -= before - services.account.reservedNano
    }
    const open = ledger.open.bind(ledger)
    ledger.open = (row, reservation, inFlight) => {
      const tracked = this.#tracked.get(Number(row.client?.slice('sim/'.length)))
      if (tracked) {
        tracked.row = row
        tracked.reservation = reservation
        tracked.isOpen = true
        tracked.cameToLimit = left(reservation.meters) <= 0
        tracked.peakNano = reservation.amount
        this.#trace(
          `request ${tracked.action.id}: opens with ${reservation.amount} reserved, ${left(reservation.meters)} left`,
        )
        this.#byRequestId.set(row.id, tracked)
        this.#byReservation.set(reservation, tracked)
        tracked.factor = services.forecast.factor(forecastName(tracked.action))
      }
      return open(row, reservation, inFlight)
    }
    const settle = ledger.settle.bind(ledger)
    ledger.settle = async (entry, outcome) => {
      const tracked = this.#byRequestId.get(entry.request.id)
      if (tracked)
        this.#trace(
          `request ${tracked.action.id}: settles ${outcome.status} ${outcome.httpStatus}, ${outcome.charge.costNano} ${outcome.charge.costStatus}, held ${outcome.heldNano}, attempts ${JSON.stringify(outcome.attempts)}`,
        )
      if (tracked && !entry.settled) {
        tracked.charge = outcome.charge
        tracked.isLimited = entry.reservation.meters.stops.some(({ limitNano }) => limitNano !== Infinity)
      }
      const durable = await settle(entry, outcome)
      if (tracked && tracked.settledAt === null) {
        tracked.settledAt = this.#time.now
        tracked.isOpen = false
        tracked.heldNano = this.#open.has(entry.reservation) ? entry.reservation.amount : 0
        for (const bill of tracked.bills) this.#grown.add(bill)
        this.#guard(() => checkCharge(tracked))
        this.#observeRatio(tracked)
      }
      return durable
    }
  }

  /** By how much a cost has exceeded what was reserved for it at the usual bounds. */
  #observeRatio({ charge, peakNano, factor, action, row }: Tracked): void {
    if (charge?.costStatus !== 'exact') return
    const share = (charge.costNano ?? 0) / Math.max(1, peakNano / factor)
    // A stream's own bound becomes smaller as the vendor reports, so its ratio is not known here.
    const ratio = row?.stream && share > 0.2 ? Infinity : share
    const name = forecastName(action)
    this.#ratios.set(name, Math.max(ratio, this.#ratios.get(name) ?? 1))
  }

  #checkFactors({ forecast }: Services): void {
    for (const [name, ratio] of this.#ratios) {
      const factor = forecast.factor(name)
      if (factor > ratio * 1.001)
        throw new Broken(
          'factor',
          `the factor of ${name} is ${factor}, and no cost was above ${ratio} times its bound`,
        )
    }
  }

  /** Runs a check, whose failure ends the world after this step. */
  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (error instanceof Broken && this.#ignored.has(error.invariant)) return
      this.#failure ??= error
    }
  }

  #crash(): void {
    this.#trace('crash')
    this.#process.isOver = true
    const ended: Tracked[] = []
    for (const tracked of this.#tracked.values()) {
      if (tracked.isLost || (tracked.seen.isClosed && tracked.settledAt !== null)) continue
      tracked.isLost = true
      tracked.isOpen = false
      ended.push(tracked)
      if (tracked.seen.isClosed) continue
      tracked.seen.isClosed = true
      this.#running -= 1
    }
    this.#spendNano = 0
    for (const key of this.#keys) if (key.revoking && key.revoking.status !== 200) key.revokedAt = null
    void this.#start()
    this.#guard(() => this.#checkLost(ended))
  }

  /** A row may be lost only if it was sent in the last moments before the crash. */
  #checkLost(ended: readonly Tracked[]): void {
    const moments = ended.flatMap(({ row, bills, seen }) => {
      const isBilled = bills.some(({ nano }) => nano > 0)
      if (row === null || !isBilled || seen.status === 503 || this.#findRow(row.id)) return []
      // Further attempts belong to the same row.
      return [Math.min(...bills.map(({ sentAt }) => sentAt))]
    })
    const withinMs = Math.max(...moments) - Math.min(...moments)
    if (withinMs > LOST_MS) {
      const message = `${moments.length} requests that vendors bill have no row after the crash; they were sent within ${withinMs} ms`
      throw new Broken('lost', message)
    }
  }

  #findRow(id: string): Row | null {
    const result = this.#database.read(['getRequest', id])
    return 'value' in result && isRow(result.value) ? result.value : null
  }

  #act(action: Action): void {
    const { now } = this.#time
    this.#trace(`action ${action.id}: ${JSON.stringify(action)}`)
    switch (action.kind) {
      case 'request':
        this.#request(action)
        return
      case 'cap': {
        const key = this.#keyOf(action.key)
        key.capNano = Math.max(key.capNano, action.usd === null ? Infinity : action.usd * 1e9)
        this.#tell('PATCH', `/v1/keys/${key.id}`, { spendLimitUsd: action.usd })
        return
      }
      case 'account':
        this.#tell('PATCH', '/v1/account', { monthlyLimitUsd: action.usd })
        return
      case 'revoke': {
        const key = this.#keyOf(action.key)
        key.revoking = this.#send('DELETE', `/v1/keys/${key.id}`)
        if (key.revoking) key.revokedAt ??= now
        return
      }
      case 'pause':
      case 'resume':
        this.#tell('POST', `/v1/keys/${this.#keyOf(action.key).id}/${action.kind}`, {})
        return
      case 'full':
        this.#disk.fullUntil = now + action.ms
        return
      case 'lock':
        this.#disk.lockedUntil = now + action.ms
        return
      case 'clock':
        this.#wallOffset += action.ms
        return
      case 'crash':
        if (action.when === 'now') this.#crash()
        else this.#disk.nextCrash = action.when
    }
  }

  #keyOf(number: number): SimulatedKey {
    const key = this.#keys[number]
    if (!key) throw new Error(`there is no key ${number}`)
    return key
  }

  #request(action: RequestAction): void {
    const { listeners } = this.#process
    if (!listeners) return
    this.requests += 1
    const random = randomOf(action)
    const { streams: _, ...request } = drawRequest(
      action.repeats ?? action.id,
      action.format,
      findModel(action.model),
      random,
    )
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#keyOf(action.key).secret}`,
      'content-type': 'application/json',
      'user-agent': `sim/${action.id}`,
      ...(action.idempotent && { 'idempotency-key': `order-${action.repeats ?? action.id}` }),
      ...(action.session !== null && { 'x-tollgate-session': action.session }),
    }
    const exchange = openExchange({ ...request, headers }, () => false)
    const tracked: Tracked = {
      action,
      seen: exchange.seen,
      startedAt: this.#time.now,
      row: null,
      reservation: null,
      isOpen: false,
      peakNano: 0,
      charge: null,
      settledAt: null,
      bills: [],
      isLost: false,
      hungUpAt: null,
      isLimited: false,
      heldNano: 0,
      cameToLimit: false,
      factor: 1,
    }
    this.#tracked.set(action.id, tracked)
    this.#running += 1
    exchange.response.once('close', () => this.#closed(tracked))
    listeners.network(exchange.request, exchange.response)
    if (action.hangUpMs !== null) this.#time.after(action.hangUpMs, () => this.#hangUp(tracked, exchange))
  }

  #hangUp(tracked: Tracked, exchange: ClientExchange): void {
    if (tracked.seen.isClosed) return
    tracked.hungUpAt = this.#time.now
    exchange.hangUp()
  }

  #trace(event: string): void {
    this.#log(`${this.#time.now.toFixed(1).padStart(10)} ms  ${event}`)
  }

  #closed(tracked: Tracked): void {
    this.#trace(
      `request ${tracked.action.id}: closed, ${tracked.seen.status}, complete ${tracked.seen.isComplete} ${tracked.seen.status === 200 ? '' : tracked.seen.text.slice(0, 200)}`,
    )
    if (tracked.isLost) return
    this.#running -= 1
    this.#guard(() => this.#checkRevoked(tracked))
  }

  /** A request that was not sent before its key was revoked is refused. */
  #checkRevoked({ action, seen, bills }: Tracked): void {
    const { revokedAt } = this.#keyOf(action.key)
    if (revokedAt === null || !seen.isComplete || bills.some(({ sentAt }) => sentAt <= revokedAt)) return
    if (seen.status === 200 || seen.status === 502)
      throw new Broken(
        'revoked',
        `request ${action.id} was answered with ${seen.status} after its key was revoked`,
      )
  }

  #trackedOf({ action }: Bill): Tracked | undefined {
    const tracked = this.#tracked.get(action)
    // The first of those with one Idempotency-Key that reached a provider.
    if (tracked?.row) return tracked
    for (const other of this.#tracked.values()) if (other.action.repeats === action && other.row) return other
    return tracked
  }

  #check(): void {
    this.#checkStep()
    if (this.#failure) throw this.#failure
  }

  #checkStep(): void {
    const { services } = this.#process
    for (const bill of this.#grown) this.#guard(() => this.#checkGrown(bill))
    this.#grown.clear()
    if (!services) return
    const { account, keys } = services
    let keysNano = 0
    for (const key of keys.all()) keysNano += key.reservedNano
    let openNano = 0
    for (const reservation of this.#open) {
      openNano += reservation.amount
      const tracked = this.#byReservation.get(reservation)
      if (tracked && reservation.amount > tracked.peakNano) tracked.peakNano = reservation.amount
    }
    const heldNano = this.#restoredNano
    this.#guard(() => checkReserved({ accountNano: account.reservedNano, keysNano, openNano, heldNano }))
    const spent = account.counters.totalNano
    if (this.#ratios.size > 0) this.#guard(() => this.#checkFactors(services))
    const before = this.#spendNano
    this.#spendNano = spent
    this.#guard(() => {
      if (spent < before) throw new Broken('books', `the spend has fallen from ${before} to ${spent}`)
    })
  }

  #checkGrown(bill: Bill): void {
    const tracked = this.#trackedOf(bill)
    this.#trace(
      `request ${tracked?.action.id}: bill ${this.#bills.indexOf(bill)} ${bill.nano} (${bill.deliveredNano} delivered) ${bill.outcome} ${bill.report} over ${bill.isOver} ${JSON.stringify(bill.usage)}, limit ${bill.received.outputLimit} reserved ${tracked?.reservation?.amount}`,
    )
    if (!tracked) return
    if (!tracked.bills.includes(bill)) tracked.bills.push(bill)
    checkBills(tracked, this.#time.now)
  }

  /** What holds when nothing runs: the books agree, and what clients were told is in them. */
  #checkIdle(): void {
    for (const tracked of this.#tracked.values()) this.#guard(() => this.#checkRow(tracked))
    for (const bill of this.#bills) if (bill.nano > 0) this.#guard(() => this.#checkGrown(bill))
    for (const [number, { capNano, isStrict }] of this.#keys.entries()) {
      const requests = [...this.#tracked.values()].filter(({ action }) => action.key === number)
      this.#guard(() => checkCap(requests, capNano, isStrict, this.#time.now))
    }
    this.#guard(() => this.#checkBooks())
    this.#check()
  }

  /** Rows, keys and the account have the same sum. */
  #checkBooks(): void {
    const { services } = this.#process
    if (!services) return
    let keysNano = this.#plan.pastSpendNano
    for (const key of services.keys.all()) {
      keysNano += key.spendNano
      const number = this.#keys.findIndex(({ id }) => id === key.id)
      let rowsNano = 0
      for (const { row, action } of this.#tracked.values())
        if (row && action.key === number) rowsNano += this.#findRow(row.id)?.costNano ?? 0
      if (rowsNano !== key.spendNano)
        throw new Broken(
          'books',
          `the rows of key ${number} have ${rowsNano}, and the key has spent ${key.spendNano}`,
        )
    }
    const { totalNano } = services.account.counters
    if (keysNano !== totalNano)
      throw new Broken('books', `the keys have spent ${keysNano}, and the account ${totalNano}`)
  }

  #checkRow({ seen, action, row, bills }: Tracked): void {
    const id = row?.id
    if (id === undefined || seen.status === null) return
    // Nothing was sent, because it could not be recorded.
    if (seen.status === 503 && bills.every(({ nano }) => nano === 0)) return
    const found = this.#findRow(id)
    if (!found)
      throw new Broken('told', `request ${action.id} was answered with ${seen.status}, and has no row`)
    if (found.costStatus === 'pending')
      throw new Broken('end', `request ${action.id} is over, and its row is not settled`)
    const told = seen.trailers['x-service-cost-usd'] ?? seen.headers['x-service-cost-usd']
    if (told === undefined || found.costNano === null) return
    if (Math.abs(Number(told) * 1e9 - found.costNano) > 501)
      throw new Broken(
        'told',
        `request ${action.id} was told to cost ${told} USD, and its row has ${found.costNano} (${found.costStatus})`,
      )
  }

  async #createKey(body: Readonly<Record<string, unknown>>): Promise<void> {
    const { text } = await this.#ask('POST', '/v1/keys', body)
    const { id, secret } = JSON.parse(text)
    const cap = body.spendLimitUsd
    const capNano = typeof cap === 'number' ? cap * 1e9 : Infinity
    this.#keys.push({ id, secret, revokedAt: null, revoking: null, capNano, isStrict: body.strict === true })
  }

  /** An operation of the owner. */
  async #ask(method: string, path: string, body?: object): Promise<Seen> {
    const seen = this.#send(method, path, body)
    await this.#until(() => seen?.isClosed === true, this.#time.now + 60_000)
    if (!seen?.isComplete || seen.status === null || seen.status >= 300)
      throw new Error(`${method} ${path} was answered with ${seen?.status}: ${seen?.text}`)
    return seen
  }

  #tell(method: string, path: string, body?: object): void {
    this.#send(method, path, body)
  }

  #send(method: string, path: string, body?: object): Seen | null {
    const { listeners } = this.#process
    if (!listeners) return null
    const headers = { 'content-type': 'application/json' }
    const exchange = openExchange(
      { method, path, headers, body: body === undefined ? '' : JSON.stringify(body) },
      () => false,
    )
    listeners.owner(exchange.request, exchange.response)
    return exchange.seen
  }
}

/** The forecast's name for the model of a request. */
function forecastName({ model }: RequestAction): string {
  return `${findModel(model).provider}/${model}`
}

interface Row {
  costNano: number | null
  costStatus: string
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && 'costNano' in value
}

/** A database with the models of all vendors, and its credentials. */
let prepared: Prepared | null = null

interface Prepared {
  bytes: Buffer
  credentials: CredentialStore
}

/** Runs a plan. Always the same for the same plan. */
export async function simulate(plan: Plan, options?: SimulateOptions): Promise<WorldResult> {
  if (!prepared) {
    const credentials = createMemoryCredentials()
    const empty = { seed: 0, keys: [], pastSpendNano: 0, slowestCommitMs: 1, actions: [] }
    const world = new World(empty, { bytes: createDatabase(START_MS), credentials })
    prepared = { bytes: await world.prepare(), credentials }
    world.close()
  }
  const world = new World(plan, prepared, options)
  let broken: Broken | null = null
  try {
    await world.run()
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    broken = error
  } finally {
    world.close()
  }
  return { requests: world.requests, steps: world.steps, broken }
}
