import { hasSamplePrices, isMain, isPlan, MAIN_PERIOD } from '../../shared/api/terms.ts'
import { type NanoUsd, nanoToUsd, nanoUsd } from '../../shared/money/money.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store } from '../store/store.ts'
import type { AccountService } from './account.ts'
import { type LimitReached, ledgerFull, limitReached } from './budget-errors.ts'
import {
  computeLeastLeft,
  computeLeft,
  createLimits,
  findReached,
  findTightest,
  type Limit,
  type LimitsByOwner,
  type OwnerLimits,
  type RequestLimits,
  type RunPlace,
  type SessionLimits,
} from './limit.ts'
import {
  isCounted,
  isModelCounted,
  type SpendCounter,
  type SpendFilter,
  type SpendOf,
} from './spend-counter.ts'

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
  periods: readonly Limit<SpendCounter>[]
  sessions: readonly SessionLimits[]
  /** The limits of a key that apply to all its requests alike; else null. */
  always: RequestLimits | null
}

interface PreparedKey {
  real: PreparedLimits
  /** The limits of requests that only models with sample prices may serve. */
  sample: PreparedLimits
}

/** Nothing limits requests that a plan pays for. */
const PLAN_LIMITS = prepare([])

interface SpendLimitsDeps {
  account: AccountService
  keys: ApiKeys
  store: Store
  limits: LimitsByOwner
}

/** The limits of what may be spent, of keys and of the account. */
export class SpendLimits {
  readonly #deps: SpendLimitsDeps
  readonly account: AccountService
  #prepared = new WeakMap<KeyState, PreparedKey>()
  /** The limits that are read from the ledger before they come into effect. */
  #starting: readonly OwnerLimits[] = []
  readonly #changes = new SerialQueue()
  readonly #loading = new Map<string, Promise<void>>()

  constructor(deps: SpendLimitsDeps) {
    this.#deps = deps
    this.account = deps.account
  }

  /**
   * Puts the limits into effect that the keys and the account have now; each counts what was spent before. `running`: what
   * runs or waits now, whose sessions must be known then.
   */
  refresh(running: () => readonly Subject[]): Promise<void> {
    return this.#changes.run(async () => {
      const { counters } = this.account
      const owners = [
        ...[...this.#deps.keys.all()].map((key) => ({
          key,
          list: key.spendLimits,
          previous: this.#deps.limits.find(key.id),
        })),
        { key: null, list: this.account.spendLimits, previous: this.#deps.limits.ofAccount },
      ].filter(({ previous, list }) => previous.list !== list && previous.list.length + list.length > 0)
      const changed = owners.map((owner) => ({
        ...owner,
        limits: createLimits(owner.list, owner.key, { previous: owner.previous, counters }),
      }))
      const started = changed.map(({ limits }) => limits)
      const ended = listCounters(changed.map(({ previous }) => previous))
      this.#starting = started
      await counters.start(listCounters(started).filter((counter) => !ended.includes(counter)))
      await this.#loadRunning(started, running)
      for (const { key, limits } of changed) {
        if (key) this.#deps.limits.set(key.id, limits)
        else this.#deps.limits.ofAccount = limits
      }
      this.#prepared = new WeakMap()
      this.#starting = []
      const kept = listCounters(started)
      counters.stop(ended.filter((counter) => !kept.includes(counter)))
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
    const { exempt } = subject
    if (!exempt) return limits
    return { ...limits, stops: limits.stops.filter(({ terms }) => !exempt.has(terms)) }
  }

  #findAll(subject: Subject): RequestLimits {
    const { always, periods, sessions } = this.#prepareFor(subject)
    if (always) return always
    return combine([
      ...periods.filter(({ period }) => isUnder(period.filter, subject)),
      ...sessions.flatMap((limits) => {
        const limit = limits.use(subject)
        return limit && isUnder(limits.filter, subject) ? [limit] : []
      }),
    ])
  }

  /** The limit that asks about what this session and sub-agent spend, and leaves least; null for none. */
  async findAsking({ key, ...run }: Pick<Subject, 'key' | keyof RunPlace>): Promise<Limit | null> {
    await this.readSession({ key, ...run })
    const all = this.#listOwners(key).flatMap(({ periods, sessions }) => [
      ...periods,
      ...sessions.flatMap((limits) => limits.use(run) ?? []),
    ])
    return findTightest({ stops: all.filter(({ terms }) => terms.action === 'ask') })
  }

  /** Whether it is still one of the limits of its owner: a change of those that it is among replaces it. */
  isInEffect({ key, index, terms }: Limit): boolean {
    const inEffect = (key ? this.#deps.limits.find(key.id) : this.#deps.limits.ofAccount).at(index)
    return inEffect?.terms === terms
  }

  /** The rest of the cap of a key in USD; null without a cap. Never negative. */
  computeRemainingUsd(key: KeyState): number | null {
    const cap = this.#deps.limits.find(key.id).periods.find(({ terms }) => isMain(terms, MAIN_PERIOD.key))
    if (!cap) return null
    const left = Math.max(0, computeLeft(cap))
    // Too large for integers to count down from.
    return Number.isSafeInteger(left) ? nanoToUsd(nanoUsd(left)) : cap.terms.usd
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
    return key.strict ? stops : stops.filter((limit) => limit.key === null)
  }

  /** Which limits stop a request, of its key and of the account. */
  findCaps(subject: Subject): { key: boolean; account: boolean } {
    const { stops } = this.findFor(subject)
    return { key: stops.some(({ key }) => key !== null), account: stops.some(({ key }) => key === null) }
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
    return this.findFor({ key, models, ...run, tag: of.tag }).all
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
      const pendingLoad = this.#loading.get(name)
      const loading = pendingLoad ?? this.#load(run, limits).finally(() => this.#loading.delete(name))
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

  async #loadRunning(starting: readonly OwnerLimits[], running: () => readonly Subject[]): Promise<void> {
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
    const preparedLimits = this.#prepared.get(key)
    if (preparedLimits) return preparedLimits
    const prepared = {
      real: prepare(this.#listOwners(key)),
      sample: prepare([this.#deps.limits.find(key.id)]),
    }
    this.#prepared.set(key, prepared)
    return prepared
  }

  #listOwners(key: KeyState): readonly OwnerLimits[] {
    return [this.#deps.limits.find(key.id), this.#deps.limits.ofAccount]
  }
}

type KnownRun = RunPlace & { sessionId: string }

function nameRun({ sessionId, agentId }: KnownRun): string {
  return `${sessionId} ${agentId}`
}

function prepare(owners: readonly OwnerLimits[]): PreparedLimits {
  const periods = owners.flatMap((limits) => limits.periods)
  const sessions = owners.flatMap((limits) => limits.sessions)
  const isAlike = periods.every(({ period: { filter } }) => filter.matches === null && filter.tag === null)
  return { periods, sessions, always: isAlike && sessions.length === 0 ? combine(periods) : null }
}

function combine(all: readonly Limit[]): RequestLimits {
  return { all, stops: all.filter(({ terms }) => terms.action !== 'warn') }
}

/** The counters to start. Everything that a key has spent is known. */
function listCounters(limits: readonly OwnerLimits[]): SpendCounter[] {
  return limits.flatMap(({ periods }) =>
    periods.map(({ period }) => period).filter((counter) => !counter.isKnown),
  )
}

function isUnder(filter: SpendFilter, subject: Subject): boolean {
  if (filter.tag !== null && filter.tag !== subject.tag) return false
  return subject.models.some(({ id, providerId }) => isModelCounted(filter, id, providerId))
}
