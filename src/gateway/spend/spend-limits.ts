import { hasSamplePrices, isPlan } from '../../shared/api/terms.ts'
import type { NanoUsd } from '../../shared/money/money.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store } from '../store/store.ts'
import type { AccountService } from './account.ts'
import { type LimitReached, ledgerFull, limitReached } from './budget-errors.ts'
import {
  computeLeastLeft,
  computeLeft,
  createCap,
  createListedLimits,
  createMonthlyLimit,
  findReached,
  type Limit,
  type LimitsByOwner,
  type ListedLimit,
  type ListedLimits,
  NO_LIMIT,
  type RequestLimits,
  type RunPlace,
  type SessionLimits,
} from './limit.ts'
import { isCounted, isModelCounted, type SpendFilter, type SpendOf } from './spend-counter.ts'

/** The facts that decide which limits a request is under. */
export interface Subject extends RunPlace {
  key: KeyState
  /** The models that may serve it: each limit for one of them counts. */
  models: readonly { id: string; providerId: string }[]
  tag: string | null
  /** The limits that do not stop it, because their owner lets it pass. */
  exempt?: Set<Limit['terms']>
}

/** Lets the request pass this limit until the limits of its owner change. */
export function exempt(subject: Subject, { terms }: Limit): void {
  subject.exempt = new Set([...(subject.exempt ?? []), terms])
}

/** Whether only models with sample prices may serve a request: no limit of the account counts it. */
export function isSample({ models }: Pick<Subject, 'models'>): boolean {
  return models.length > 0 && models.every(({ providerId }) => hasSamplePrices(providerId))
}

/** The limits of a key's requests, computed once for each key. */
interface PreparedLimits {
  owners: readonly ListedLimits[]
  /** The limits of a key that apply to all its requests alike; else null. */
  always: RequestLimits | null
  fixed: readonly [Limit, ...Limit[]]
}

interface PreparedKey {
  real: PreparedLimits
  /** The limits of requests that only models with sample prices may serve. */
  sample: PreparedLimits
}

const PLAN_LIMITS = prepare([], [NO_LIMIT])

interface SpendLimitsDeps {
  account: AccountService
  keys: ApiKeys
  store: Store
  limits: LimitsByOwner
}

/** The limits of what may be spent: caps of keys, the monthly limit, and further limits of keys and of the account. */
export class SpendLimits {
  readonly #deps: SpendLimitsDeps
  readonly account: AccountService
  readonly #month: Limit
  #prepared = new WeakMap<KeyState, PreparedKey>()
  /** The limits that are read from the ledger before they come into effect. */
  #starting: readonly ListedLimits[] = []
  readonly #changes = new SerialQueue()
  readonly #loading = new Map<string, Promise<void>>()

  constructor(deps: SpendLimitsDeps) {
    this.#deps = deps
    const { account } = deps
    this.account = account
    this.#month = createMonthlyLimit(account)
  }

  /**
   * Puts the limits into effect that the keys and the account have now; each counts what was spent before. `running`: what
   * runs or waits now, whose sessions must be known then.
   */
  refresh(running: () => readonly Subject[]): Promise<void> {
    return this.#changes.run(async () => {
      const { counters } = this.account
      const changed = [
        ...[...this.#deps.keys.all()].map((key) => ({
          key,
          list: key.spendLimits,
          before: this.#deps.limits.find(key.id),
        })),
        { key: null, list: this.account.spendLimits, before: this.#deps.limits.ofAccount },
      ].filter(({ before, list }) => before.list !== list && before.list.length + list.length > 0)
      const started = changed.map(({ key, list }) => createListedLimits(list, key, counters))
      this.#starting = started
      await counters.start(listCounters(started))
      await this.#loadRunning(started, running)
      for (const [index, limits] of started.entries()) {
        const key = changed[index]?.key
        if (key) this.#deps.limits.set(key.id, limits)
        else this.#deps.limits.ofAccount = limits
      }
      this.#prepared = new WeakMap()
      this.#starting = []
      counters.stop(listCounters(changed.map(({ before }) => before)))
      // The announcement of the change did not have the limits yet.
      for (const { key } of changed) {
        if (key) this.#deps.keys.announce(key)
        else this.account.announce()
      }
    })
  }

  /** Finds the limits of a request. The spend of its session was read. */
  findFor(subject: Subject): RequestLimits {
    const limits = this.#findAll(subject)
    if (!subject.exempt) return limits
    const { stops, listed } = limits
    const [cap, ...others] = stops
    return { stops: [cap, ...others.filter(({ terms }) => !subject.exempt?.has(terms))], listed }
  }

  #findAll(subject: Subject): RequestLimits {
    const { always, owners, fixed } = this.#prepareFor(subject)
    if (always) return always
    const listed = owners.flatMap(({ periods, sessions }) => [
      ...periods.filter(({ period }) => isUnder(period.filter, subject)),
      ...sessions.flatMap((limits) => {
        const limit = limits.use(subject)
        return limit && isUnder(limits.filter, subject) ? [limit] : []
      }),
    ])
    return combine(fixed, listed)
  }

  /** The limit that asks about what this session and sub-agent spend, and leaves least; null for none. */
  async findAsking({ key, ...run }: Pick<Subject, 'key' | keyof RunPlace>): Promise<ListedLimit | null> {
    await this.readSession({ key, ...run })
    const all = this.#listOwners(key).flatMap(({ periods, sessions }) => [
      ...periods,
      ...sessions.flatMap((limits) => limits.use(run) ?? []),
    ])
    const asking = all.filter(({ terms }) => terms.action === 'ask')
    return asking.toSorted((a, b) => computeLeft(a) - computeLeft(b))[0] ?? null
  }

  /** Whether it is still one of the limits of its owner: a change of those that it is among replaces it. */
  isInEffect({ key, index, terms }: ListedLimit): boolean {
    const { list } = key ? this.#deps.limits.find(key.id) : this.#deps.limits.ofAccount
    return list[index] === terms
  }

  /** The limit that is used up, so that nothing is admitted; null for none. */
  findRefusal(limits: RequestLimits): LimitReached | null {
    if (this.account.isLedgerFull) return ledgerFull(this.account.counters.totalNano)
    const limit = findReached(limits)
    return limit && limitReached(limit)
  }

  /** The smallest rest of all limits and of the ledger. */
  computeLeft(limits: RequestLimits): number {
    return Math.min(computeLeastLeft(limits), this.account.roomNano)
  }

  /** Milliseconds until one of the limits may leave more because time passes; Infinity if none will. */
  msToReset({ stops }: RequestLimits): number {
    return Math.min(...stops.map(({ period }) => this.account.counters.msTo(period.changesAt)))
  }

  /** The limits under which the whole bound of a request must fit: those of a strict key, or the account's if it is strict. */
  findStrict({ key }: Subject, { stops }: RequestLimits): readonly Limit[] {
    if (!key.strict && !this.account.strictLimits) return []
    return stops.filter((limit) => limit.limitNano !== Infinity && (key.strict || limit.key === null))
  }

  /** Which limits stop a request, of its key and of the account. */
  findCaps(subject: Subject): { key: boolean; account: boolean } {
    const set = this.findFor(subject).stops.filter(({ limitNano }) => limitNano !== Infinity)
    return { key: set.some(({ key }) => key !== null), account: set.some(({ key }) => key === null) }
  }

  /** The offers of models that may still spend; all where none may, so that the limit refuses the request. */
  keepWithin<T extends Subject['models'][number]>(
    offers: readonly T[],
    subject: Omit<Subject, 'models'>,
  ): readonly T[] {
    if (offers.length === 1 || this.#prepare(subject.key).real.always) return offers
    const within = offers.filter(
      (offer) => findReached(this.findFor({ ...subject, models: [offer] })) === null,
    )
    return within.length > 0 ? within : offers
  }

  /** Finds the limits that a charge changes. */
  findCharged(key: KeyState, of: SpendOf, run: RunPlace): readonly Limit[] {
    const models = [{ id: of.model, providerId: of.provider }]
    const { always, fixed } = this.#prepareFor({ key, models })
    if (always) return always.listed.length === 0 ? always.stops : [...fixed, ...always.listed]
    return [...fixed, ...this.findFor({ key, models, ...run, tag: of.tag }).listed]
  }

  /** Adds a charge to its session and its sub-agent; periods count by themselves. */
  chargeSession(key: KeyState, of: SpendOf, run: RunPlace, cost: NanoUsd): void {
    for (const { sessions } of [...this.#listOwners(key), ...this.#starting])
      for (const limits of sessions) if (isCounted(limits.filter, of)) limits.add(run, cost)
  }

  /** Reads what is not known of the session and the sub-agent of a request that has not begun; null if nothing is. */
  readSession({ key, sessionId, agentId }: Pick<Subject, 'key' | keyof RunPlace>): Promise<void> | null {
    if (sessionId === null || this.#prepare(key).real.always) return null
    const run = { sessionId, agentId }
    const limits = () => this.#listOwners(key).flatMap(({ sessions }) => sessions)
    return limits().every((limit) => limit.has(run)) ? null : this.#readSession(run, limits)
  }

  async #readSession(run: KnownRun, limits: () => readonly SessionLimits[]): Promise<void> {
    const name = nameRun(run)
    do {
      const known = this.#loading.get(name)
      const loading = known ?? this.#load(run, limits).finally(() => this.#loading.delete(name))
      this.#loading.set(name, loading)
      await loading
      // Limits may be new by now; and the read may have been for another key.
    } while (limits().some((each) => !each.has(run)))
  }

  async #load(run: KnownRun, limits: () => readonly SessionLimits[]): Promise<void> {
    const { sessionId, agentId } = run
    const all = limits().filter(({ isPerAgent }) => !isPerAgent || agentId !== null)
    const reads = new Map(
      all.map(({ filter: { tag }, isPerAgent }) => [`${isPerAgent} ${tag}`, { tag, isPerAgent }]),
    )
    for (const { tag, isPerAgent } of reads.values())
      await this.account.counters.readExactly(
        () =>
          this.#deps.store.read('sessionSpend', { id: sessionId, agentId: isPerAgent ? agentId : null, tag }),
        ({ models }, unknownNano) => {
          for (const each of limits())
            if (each.filter.tag === tag && each.isPerAgent === isPerAgent) each.load(run, models, unknownNano)
        },
      )
  }

  async #loadRunning(starting: readonly ListedLimits[], running: () => readonly Subject[]): Promise<void> {
    const limits = starting.flatMap(({ sessions }) => sessions)
    if (limits.length === 0) return
    const runs = running().flatMap(({ sessionId, agentId }) =>
      sessionId === null ? [] : [{ sessionId, agentId }],
    )
    const each = new Map(runs.map((run) => [nameRun(run), run]))
    await Promise.all([...each.values()].map((run) => this.#load(run, () => limits)))
  }

  #prepareFor({ key, models }: Pick<Subject, 'key' | 'models'>): PreparedLimits {
    if (models[0] && isPlan(models[0].providerId)) return PLAN_LIMITS
    const prepared = this.#prepare(key)
    return isSample({ models }) ? prepared.sample : prepared.real
  }

  #prepare(key: KeyState): PreparedKey {
    const known = this.#prepared.get(key)
    if (known) return known
    const cap = createCap(key)
    const prepared = {
      real: prepare(this.#listOwners(key), [cap, this.#month]),
      sample: prepare([this.#deps.limits.find(key.id)], [cap]),
    }
    this.#prepared.set(key, prepared)
    return prepared
  }

  #listOwners(key: KeyState): readonly ListedLimits[] {
    return [this.#deps.limits.find(key.id), this.#deps.limits.ofAccount]
  }
}

type KnownRun = RunPlace & { sessionId: string }

function nameRun({ sessionId, agentId }: KnownRun): string {
  return `${sessionId} ${agentId}`
}

function prepare(owners: PreparedLimits['owners'], fixed: PreparedLimits['fixed']): PreparedLimits {
  const listed = owners.flatMap(({ periods }) => periods)
  const isAlike = listed.every(({ period: { filter } }) => filter.matches === null && filter.tag === null)
  const hasSessions = owners.some(({ sessions }) => sessions.length > 0)
  return { owners, always: isAlike && !hasSessions ? combine(fixed, listed) : null, fixed }
}

function combine(fixed: PreparedLimits['fixed'], listed: RequestLimits['listed']): RequestLimits {
  return { stops: [...fixed, ...listed.filter(({ terms }) => terms.action !== 'warn')], listed }
}

function listCounters(limits: readonly ListedLimits[]) {
  return limits.flatMap(({ periods }) => periods.map(({ period }) => period))
}

function isUnder(filter: SpendFilter, subject: Subject): boolean {
  if (filter.tag !== null && filter.tag !== subject.tag) return false
  return subject.models.some(({ id, providerId }) => isModelCounted(filter, id, providerId))
}
