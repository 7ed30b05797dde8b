// A simulated world: one gateway, its disk, its vendors and its clients, in virtual time. Every step is an event of the queue
// and all that follows from it; after each, the invariants are checked.

import { ApprovalList } from '../../../features/approvals/api/approvals.ts'
import { RuledRequestList } from '../../../features/rules/api/effects.ts'
import { Account } from '../../../shared/api/account.ts'
import { KeyList } from '../../../shared/api/keys.ts'
import { SessionList } from '../../../shared/api/sessions.ts'
import { SpendLimits } from '../../../shared/api/spend-limits.ts'
import { Usage } from '../../../shared/api/usage.ts'
import type { CredentialStore } from '../../models/providers/credential-store.ts'
import { StoreError } from '../../store/sql/store-error.ts'
import { MemoryDatabase } from '../../store/testing/memory-database.ts'
import { createRandom } from '../random.ts'
import type { Bill } from './bill.ts'
import { Books, type SimulatedKey } from './books.ts'
import { BrokenInvariant } from './broken.ts'
import { openExchange, type SeenResponse, sendJson } from './client-exchange.ts'
import type { Hole } from './holes.ts'
import { checkAnswer, checkSubAgents, isRefusedAsSubAgent, type TrackedRequest, track } from './invariants.ts'
import { Observer } from './observer.ts'
import { findOperation } from './owner.ts'
import type { Action, ApproveAction, CorrectionAction, Plan, RequestAction } from './plan.ts'
import { type Services, SimulatedProcess } from './process.ts'
import { drawRequest } from './requests.ts'
import { checkDenied, checkLowered, checkRules, createRuleJudge } from './rule-judge.ts'
import { Disk } from './store.ts'
import { VirtualTime } from './virtual-time.ts'
// Loaded before the first world: virtual time does not wait for files.
import '../../../features/rules/gateway/apply-rules.ts'
import '../../formats/framing/event-stream.ts'

/** 2026-03-10, noon UTC. */
export const START_MS = Date.UTC(2026, 2, 10, 12)
/** No request takes longer: attempts, time-outs and waits. */
const LONGEST_MS = 4 * 3_600_000
/** How soon a process is started again whose store could not be opened. */
const RESTART_MS = 1_000
const ALL_TIME = 'from=2000-01-01T00:00:00Z&to=2100-01-01T00:00:00Z'
const MAX_STEPS = 2_000_000

/** Lets everything run that waits for nothing but this thread. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export interface SimulateOptions {
  /** Told what happens, in order. */
  log?(event: string): void
  /** Changes each process. */
  hole?: Hole
}

/** An operation of the owner. Throws if it fails. */
export type Ask = (method: string, path: string, body?: object) => Promise<unknown>

/** The initial state of a world. */
export interface PreparedData {
  bytes: Buffer
  credentials: CredentialStore
}

export class World {
  readonly #plan: Plan
  readonly #time = new VirtualTime()
  readonly #disk = new Disk()
  readonly #database: MemoryDatabase
  readonly #credentials: CredentialStore
  readonly #keys: SimulatedKey[] = []
  readonly #bills: Bill[] = []
  readonly #options: SimulateOptions
  readonly #observer: Observer
  readonly #books: Books
  #process = new SimulatedProcess()
  #wallOffset = START_MS
  #running = 0
  #startAt = 0
  #failure: unknown = null
  requests = 0
  steps = 0

  constructor(plan: Plan, { bytes, credentials }: PreparedData, options: SimulateOptions = {}) {
    this.#options = options
    this.#plan = plan
    this.#database = new MemoryDatabase(bytes)
    this.#credentials = credentials
    if (plan.pastSpendNano > 0) this.#database.addPastSpend(plan.pastSpendNano)
    this.#observer = new Observer({
      guard: (check) => this.#guard(check),
      log: (event) => this.#log(event),
      now: () => this.#wallNow(),
      findRow: (id) => this.#books.findRow(id),
      hasRules: plan.rules.length > 0,
      wasUncapped: (key) => this.#getKey(key).capNano === Infinity,
    })
    this.#books = new Books(this.#database, this.#keys, this.#observer.tracked, plan.pastSpendNano)
  }

  /** Runs the whole plan. Throws Broken. */
  async run(): Promise<void> {
    await this.#start()
    for (const body of this.#plan.keys) await this.#createKey(body)
    for (const body of this.#plan.rules) await this.#ask('POST', '/v1/rules', body)
    this.#startAt = this.#time.now
    for (const action of this.#plan.actions)
      this.#time.after(action.at, () => this.#guard(() => this.#act(action)))
    const end = this.#time.now + Math.max(0, ...this.#plan.actions.map(({ at }) => at)) + 1
    await this.#until(() => this.#time.now >= end - 1 && this.#running === 0, end + LONGEST_MS)
    if (this.#running > 0) {
      const waiting = [...this.#observer.tracked.values()].find(({ seen }) => !seen.isClosed)
      throw new BrokenInvariant('end', `request ${waiting?.action.id} has no end`)
    }
    // The disk is well again, and everything that is to be written is.
    await this.#until(() => false, this.#time.now + 120_000)
    await this.#checkIdle()
    this.#crash()
    await this.#until(() => this.#process.services !== null, this.#time.now + 60_000)
    await this.#checkIdle()
    await this.#enterInvoices()
  }

  close(): void {
    this.#process.isOver = true
    this.#database.close()
  }

  /** The bytes of a database with all that `setUp` asks for, from which other worlds can start. */
  async prepare(setUp: (ask: Ask) => Promise<void>): Promise<Buffer> {
    await this.#start()
    await setUp((method, path, body) => this.#ask(method, path, body))
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
      if (++this.steps > MAX_STEPS) throw new BrokenInvariant('end', 'the world does not come to rest')
    }
  }

  async #start(): Promise<void> {
    const process = new SimulatedProcess()
    this.#process = process
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
        disk: this.#disk,
        onCall: (bill) => this.#observer.called(bill),
        onBill: (bill) => this.#observer.grew(bill),
      },
      credentials: this.#credentials,
      random: () => chance.next(),
      commitMs: () => 0.2 + latency.next() * this.#plan.slowestCommitMs,
      onCrash: () => this.#crash(),
    })
    const watched = started.then(
      (services) => {
        this.#observer.watch(services)
        this.#judgeRules(services)
        this.#options.hole?.(services)
      },
      (error: unknown) => {
        if (!(error instanceof StoreError)) this.#failure ??= error
        else if (!process.isOver) this.#time.after(RESTART_MS, () => this.#crash())
      },
    )
    if (this.#startAt > 0) return
    await this.#until(() => process.services !== null, this.#time.now + 60_000)
    await watched
  }

  #judgeRules({ hooks }: Services): void {
    const { tracked } = this.#observer
    const [first, last] = createRuleJudge({
      guard: (check) => this.#guard(check),
      isAdmitted: (client) => tracked.get(Number(client?.slice('sim/'.length)))?.row != null,
    })
    hooks.unshift(first)
    hooks.push(last)
  }

  #wallNow(): number {
    return this.#wallOffset + this.#time.now
  }

  /** Runs a check, whose failure ends the world after this step. */
  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#failure ??= error
    }
  }

  #crash(): void {
    this.#log('crash')
    this.#process.isOver = true
    const ended = this.#observer.crashed()
    for (const { seen } of ended) {
      if (seen.isClosed) continue
      seen.isClosed = true
      this.#running -= 1
    }
    void this.#start()
    this.#guard(() => this.#books.checkLost(ended))
  }

  #act(action: Action): void {
    const { now } = this.#time
    if (this.#options.log) this.#log(JSON.stringify(action))
    if (action.kind === 'cap') {
      const key = this.#getKey(action.key)
      key.capNano = Math.max(key.capNano, action.usd === null ? Infinity : action.usd * 1e9)
    }
    if (action.kind === 'limits') {
      const key = this.#getKey(action.key)
      key.limits = []
      // The lowest one for the lifetime is the cap.
      const caps = action.limits.flatMap(({ usd, per }) => (per === 'lifetime' ? [usd * 1e9] : []))
      if (caps.length > 0) key.capNano = Math.max(key.capNano, Math.min(...caps))
    }
    const operation = findOperation(action, (key) => this.#getKey(key).id)
    if (operation) this.#send(operation.method, operation.path, operation.body)
    switch (action.kind) {
      case 'request':
        this.#request(action)
        return
      case 'revoke': {
        const key = this.#getKey(action.key)
        this.#send('DELETE', `/v1/keys/${key.id}`, undefined, ({ status }) => {
          if (status === 200) key.revokedAt ??= this.#time.now
        })
        return
      }
      case 'settle':
      case 'release':
        this.#correct(action)
        return
      case 'approve':
        this.#approve(action)
        return
      case 'full':
        this.#disk.fullUntil = now + action.ms
        return
      case 'lock':
        this.#disk.lockedUntil = now + action.ms
        return
      case 'clock':
        this.#wallOffset += action.ms
        this.#observer.endHolds()
        return
      case 'crash':
        if (action.when === 'now') this.#crash()
        else this.#disk.nextCrash = action.when
    }
  }

  /** The owner answers. The limit is no bound that is known here any more. */
  #approve({ decision, usd }: ApproveAction): void {
    this.#send('GET', '/v1/approvals', undefined, ({ status, text }) => {
      if (status !== 200) return
      const open = ApprovalList.parse(JSON.parse(text)).data.find(({ state }) => state === 'open')
      if (!open) return
      const key = this.#keys.find(({ id }) => id === open.keyId)
      const isOfLimit = open.kind === 'limit'
      if (key && isOfLimit && !open.ofAccount && decision !== 'stop')
        key.limits = key.limits.filter(({ action }) => action !== 'ask')
      const { id, waiter } = open
      const answer = {
        decision,
        ...(decision !== 'stop' && { waiter }),
        ...(decision === 'allow' && isOfLimit && { usd }),
      }
      this.#send('POST', `/v1/approvals/${id}`, answer)
    })
  }

  /** The owner enters the invoiced amount of a request, or releases what is held for it. */
  #correct({ kind, request }: CorrectionAction): void {
    const tracked = this.#observer.tracked.get(request)
    if (!tracked?.row || !tracked.isSettled || tracked.isLost) return
    const path = `/v1/requests/${tracked.row.id}/${kind}`
    if (kind === 'release') {
      tracked.isHoldOver = true
      this.#send('POST', path, {})
      return
    }
    if (tracked.charge?.costStatus !== 'unsettled' || tracked.bills.some(({ isOver }) => !isOver)) return
    const nano = tracked.bills.reduce((sum, bill) => sum + bill.nano, 0)
    this.#observer.corrections += 1
    this.#send('POST', path, { costUsd: nano / 1e9 }, ({ status }) => {
      this.#observer.corrected(tracked, status === 200 ? nano : null)
    })
  }

  /** The vendors' invoices have come for the requests of which a crash has left no more than bounds. */
  async #enterInvoices(): Promise<void> {
    for (const { id, number, billedNano } of [...this.#books.unsettled()]) {
      const seen = this.#send('POST', `/v1/requests/${id}/settle`, { costUsd: billedNano / 1e9 })
      this.#observer.corrections += 1
      await this.#until(() => seen?.isClosed === true, this.#time.now + 60_000)
      if (seen?.status !== 200)
        throw new BrokenInvariant('invoice', `${billedNano} are billed for request ${number}: ${seen?.text}`)
    }
  }

  #getKey(number: number): SimulatedKey {
    const key = this.#keys[number]
    if (!key) throw new Error(`there is no key ${number}`)
    return key
  }

  #request(action: RequestAction): void {
    const { listeners } = this.#process
    if (!listeners) return
    this.requests += 1
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#getKey(action.key).secret}`,
      'content-type': 'application/json',
      'user-agent': `sim/${action.id}`,
      ...(action.idempotent && { 'idempotency-key': `order-${action.repeats ?? action.id}` }),
      ...(action.session !== null && { 'x-tollgate-session': action.session }),
      ...(action.agent !== null && { 'x-claude-code-agent-id': action.agent }),
      ...(action.tag !== null && { 'x-tollgate-tag': action.tag }),
    }
    const { readMs } = action
    const isSlow = () => {
      if (readMs !== null) this.#time.after(readMs, () => exchange.seen.isClosed || exchange.drain())
      return readMs !== null
    }
    const exchange = openExchange({ ...drawRequest(action), headers }, isSlow)
    const tracked = track(action, exchange.seen, this.#getKey(action.key).isStrict)
    this.#observer.tracked.set(action.id, tracked)
    this.#running += 1
    exchange.response.once('close', () => this.#closed(tracked))
    listeners.network(exchange.request, exchange.response)
    if (action.hangUpMs === null) return
    this.#time.after(action.hangUpMs, () => {
      if (!exchange.seen.isClosed) exchange.hangUp()
    })
  }

  #log(event: string): void {
    this.#options.log?.(`${this.#time.now.toFixed(1).padStart(10)} ms  ${event}`)
  }

  #closed(tracked: TrackedRequest): void {
    const { status, isComplete, text } = tracked.seen
    const about = status === 200 ? (isComplete ? 'whole' : 'cut') : text.slice(0, 200)
    this.#log(`request ${tracked.action.id}: closed, ${status}, ${about}`)
    if (tracked.isLost) return
    this.#running -= 1
    const { revokedAt, maxSubagents } = this.#getKey(tracked.action.key)
    this.#guard(() => checkAnswer(tracked, revokedAt))
    this.#guard(() => checkDenied(tracked, this.#plan.rules))
    if (this.#plan.rules.length > 0) this.#guard(() => checkLowered(tracked))
    if (tracked.row !== null || isRefusedAsSubAgent(tracked))
      this.#guard(() => checkSubAgents(tracked, [...this.#observer.tracked.values()], maxSubagents))
  }

  #check(): void {
    for (const key of this.#observer.check(this.#process.services))
      this.#guard(() => this.#books.checkCaps(key))
    if (this.#failure) throw this.#failure
  }

  /** Checks the invariants when nothing runs. */
  async #checkIdle(): Promise<void> {
    const { services } = this.#process
    this.#observer.endHolds()
    if (services) this.#books.check(services, (check) => this.#guard(check))
    this.#check()
    const from = this.#wallNow()
    const read = async (path: string) => JSON.parse((await this.#ask('GET', path)).text)
    const shown = {
      keys: KeyList.parse(await read('/v1/keys')),
      account: Account.parse(await read('/v1/account')),
      usage: Usage.parse(await read(`/v1/usage?groupBy=tag&${ALL_TIME}`)),
      sessions: SessionList.parse(await read('/v1/sessions?limit=500')),
    }
    const ruled = RuledRequestList.parse(await read('/v1/rules/requests?limit=500'))
    this.#guard(() => checkRules(ruled))
    this.#books.checkShown({ ...shown, from, to: this.#wallNow() })
  }

  async #createKey(body: Readonly<Record<string, unknown>>): Promise<void> {
    const { text } = await this.#ask('POST', '/v1/keys', body)
    const { id, secret } = JSON.parse(text)
    const cap = body.spendLimitUsd
    const capNano = typeof cap === 'number' ? cap * 1e9 : Infinity
    const limits = SpendLimits.parse(body.spendLimits ?? []).filter(({ action }) => action !== 'warn')
    this.#keys.push({
      ...{ id, secret, revokedAt: null, capNano, limits, isStrict: body.strict === true },
      maxSubagents: typeof body.maxSubagents === 'number' ? body.maxSubagents : Infinity,
    })
  }

  /** An operation of the owner. */
  async #ask(method: string, path: string, body?: object): Promise<SeenResponse> {
    const seen = this.#send(method, path, body)
    await this.#until(() => seen?.isClosed === true, this.#time.now + 60_000)
    if (!seen?.isComplete || seen.status === null || seen.status >= 300)
      throw new Error(`${method} ${path} was answered with ${seen?.status}: ${seen?.text}`)
    return seen
  }

  #send(
    method: string,
    path: string,
    body?: object,
    onClosed?: (seen: SeenResponse) => void,
  ): SeenResponse | null {
    const { listeners } = this.#process
    return listeners && sendJson({ method, path, body }, listeners.owner, onClosed)
  }
}
