import type { NanoUsd } from '../../shared/money.ts'
import { hasSamplePrices } from '../../shared/sandbox.ts'
import type { ApiKeys } from '../keys/api-keys.ts'
import type { KeyState } from '../keys/key-state.ts'
import { SerialQueue } from '../platform/wait.ts'
import type { Store } from '../store/store.ts'
import type { AccountService } from './account.ts'
import {
  CapMeter,
  type LimitSource,
  type Meter,
  type Meters,
  MonthMeter,
  type PeriodMeter,
  reached,
  type SessionMeter,
} from './meter.ts'
import { NO_LIMITS, type OwnedLimits, onlyWarns, ownLimits } from './owned-limits.ts'
import { isCounted, isModelCounted, type SpendOf } from './spend-counter.ts'

/** What decides which limits a request is under. */
export interface Subject {
  key: KeyState
  /** Those that may serve it: each limit for one of them counts. */
  models: readonly { id: string; providerId: string }[]
  sessionId: string | null
  tag: string | null
}

/** Whether only models with sample prices may serve a request: no limit of the account counts it. */
export function isSample({ models }: Pick<Subject, 'models'>): boolean {
  return models.length > 0 && models.every(({ providerId }) => hasSamplePrices(providerId))
}

/** What requests of a key are under, which is computed once for each key. */
interface Prepared {
  owners: readonly OwnedLimits[]
  /** The meters of a key whose limits apply to all its requests alike; else null. */
  always: Meters | null
  fixed: readonly [Meter, ...Meter[]]
}

interface PreparedKey {
  real: Prepared
  /** For requests that only models with sample prices may serve. */
  sample: Prepared
}

interface SpendLimitsDeps {
  account: AccountService
  keys: ApiKeys
  store: Store
}

/** The limits of what may be spent: caps of keys, the monthly limit, and further limits of keys and of the account. */
export class SpendLimits {
  readonly account: AccountService
  readonly #keys: ApiKeys
  readonly #store: Store
  readonly #month: MonthMeter
  #ofAccount: OwnedLimits = NO_LIMITS
  #ofKeys = new Map<string, OwnedLimits>()
  #prepared = new WeakMap<KeyState, PreparedKey>()
  /** Those that are read from the ledger before they come into effect. */
  #starting: readonly OwnedLimits[] = []
  readonly #changes = new SerialQueue()
  readonly #loading = new Map<string, Promise<void>>()

  constructor({ account, keys, store }: SpendLimitsDeps) {
    this.account = account
    this.#keys = keys
    this.#store = store
    this.#month = new MonthMeter(account)
  }

  /**
   * Puts the limits into effect that the keys and the account have now; each counts what was spent before. `running`: what
   * runs or waits now, whose sessions must be known then.
   */
  refresh(running: () => readonly Subject[]): Promise<void> {
    return this.#changes.run(async () => {
      const { counters, spendLimits } = this.account
      const keys = [...this.#keys.all()].filter((key) => hasChanged(this.#ownOf(key), key.spendLimits))
      const ofKeys = keys.map((key) => ({ key, own: ownLimits(key.spendLimits, key, counters) }))
      const isSame = !hasChanged(this.#ofAccount, spendLimits)
      const ofAccount = isSame ? this.#ofAccount : ownLimits(spendLimits, null, counters)
      this.#starting = [...ofKeys.map(({ own }) => own), ...(isSame ? [] : [ofAccount])]
      await counters.start(this.#starting.flatMap(({ periods }) => periods.map(({ counter }) => counter)))
      await this.#loadRunning(this.#starting, running)
      const replaced = [...keys.map((key) => this.#ownOf(key)), ...(isSame ? [] : [this.#ofAccount])]
      for (const { key, own } of ofKeys) {
        if (own.list.length > 0) this.#ofKeys.set(key.id, own)
        else this.#ofKeys.delete(key.id)
        key.limitStates = own.states
      }
      this.#ofAccount = ofAccount
      this.account.limitStates = ofAccount.states
      this.#prepared = new WeakMap()
      this.#starting = []
      counters.stop(replaced.flatMap(({ periods }) => periods.map(({ counter }) => counter)))
      // What was announced with the change did not have the limits yet.
      for (const { key } of ofKeys) this.#keys.announce(key)
      if (!isSame) this.account.announce()
    })
  }

  /** What the request is under. The spend of its session was read. */
  metersOf(subject: Subject): Meters {
    const prepared = this.#prepare(subject.key)
    const { always, owners, fixed } = isSample(subject) ? prepared.sample : prepared.real
    if (always) return always
    const listed: (PeriodMeter | SessionMeter)[] = []
    for (const { periods, sessions } of owners) {
      for (const meter of periods) if (isUnder(meter.listed.filter, subject)) listed.push(meter)
      for (const limit of sessions) {
        const meter = subject.sessionId === null ? null : limit.use(subject.sessionId)
        if (meter && isUnder(limit.listed.filter, subject)) listed.push(meter)
      }
    }
    return metersFrom(fixed, listed)
  }

  /** Milliseconds until one of the limits may leave more because time passes; Infinity if none will. */
  msToReset({ stops }: Meters): number {
    return Math.min(...stops.map(({ source }) => this.account.counters.msTo(resetOf(source))))
  }

  /** The limits under which the whole bound of a request must fit: those of a strict key, or the account's if it is strict. */
  strictMeters({ key }: Subject, { stops }: Meters): readonly Meter[] {
    if (!key.strict && !this.account.strictLimits) return []
    return stops.filter(
      ({ limitNano, source }) =>
        limitNano !== Infinity && (key.strict || source.kind === 'month' || source.key === null),
    )
  }

  /** Which limits stop a request, of its key and of the account. */
  capsOf(subject: Subject): { key: boolean; month: boolean } {
    const caps = { key: false, month: false }
    for (const { source, limitNano } of this.metersOf(subject).stops) {
      if (limitNano === Infinity) continue
      if (source.kind === 'month' || source.key === null) caps.month = true
      else caps.key = true
    }
    return caps
  }

  /** The offers of models that may still spend; all where none may, so that the limit refuses the request. */
  withinLimits<T extends Subject['models'][number]>(
    offers: readonly T[],
    subject: Omit<Subject, 'models'>,
  ): readonly T[] {
    if (offers.length === 1 || this.#prepare(subject.key).real.always) return offers
    const within = offers.filter((offer) => reached(this.metersOf({ ...subject, models: [offer] })) === null)
    return within.length > 0 ? within : offers
  }

  /** Those that a charge changes. */
  metersOfCharge(key: KeyState, of: SpendOf, sessionId: string | null): readonly Meter[] {
    const models = [{ id: of.model, providerId: of.provider }]
    const prepared = this.#prepare(key)
    const { always, fixed } = isSample({ models }) ? prepared.sample : prepared.real
    if (always) return always.listed.length === 0 ? always.stops : [...fixed, ...always.listed]
    return [...fixed, ...this.metersOf({ key, models, sessionId, tag: of.tag }).listed]
  }

  /** Adds a charge to its session; periods count by themselves. */
  chargeSession(key: KeyState, of: SpendOf, sessionId: string | null, cost: NanoUsd): void {
    if (sessionId === null) return
    for (const { sessions } of [this.#ownOf(key), this.#ofAccount, ...this.#starting])
      for (const limit of sessions) if (isCounted(limit.listed.filter, of)) limit.add(sessionId, cost)
  }

  /** Reads what is not known of the session of a request that has not begun; null if nothing is. */
  readSession({ key, sessionId }: Pick<Subject, 'key' | 'sessionId'>): Promise<void> | null {
    if (sessionId === null || this.#prepare(key).real.always) return null
    const limits = () => [...this.#ownOf(key).sessions, ...this.#ofAccount.sessions]
    return limits().every((limit) => limit.has(sessionId)) ? null : this.#readSession(sessionId, limits)
  }

  async #readSession(sessionId: string, limits: () => OwnedLimits['sessions']): Promise<void> {
    do {
      const known = this.#loading.get(sessionId)
      const loading = known ?? this.#load(sessionId, limits).finally(() => this.#loading.delete(sessionId))
      this.#loading.set(sessionId, loading)
      await loading
      // Limits may be new by now; and the read may have been for another key.
    } while (limits().some((limit) => !limit.has(sessionId)))
  }

  async #load(sessionId: string, limits: () => OwnedLimits['sessions']): Promise<void> {
    const tagOf = (limit: OwnedLimits['sessions'][number]) => limit.listed.filter.tag
    for (const tag of new Set(limits().map(tagOf)))
      await this.account.counters.readExactly(
        () => this.#store.read('sessionSpend', sessionId, tag),
        ({ models }, unknownNano) => {
          for (const limit of limits()) if (tagOf(limit) === tag) limit.load(sessionId, models, unknownNano)
        },
      )
  }

  async #loadRunning(starting: readonly OwnedLimits[], running: () => readonly Subject[]): Promise<void> {
    if (starting.every(({ sessions }) => sessions.length === 0)) return
    const limits = starting.flatMap(({ sessions }) => sessions)
    const ids = new Set(running().flatMap(({ sessionId }) => (sessionId === null ? [] : [sessionId])))
    await Promise.all([...ids].map((id) => this.#load(id, () => limits)))
  }

  #prepare(key: KeyState): PreparedKey {
    let prepared = this.#prepared.get(key)
    if (!prepared) {
      prepared = this.#compute(key)
      this.#prepared.set(key, prepared)
    }
    return prepared
  }

  #compute(key: KeyState): PreparedKey {
    const own = this.#ownOf(key)
    const cap = new CapMeter(key)
    return {
      real: prepare([own, this.#ofAccount], [cap, this.#month]),
      sample: prepare([own], [cap]),
    }
  }

  #ownOf(key: KeyState): OwnedLimits {
    return this.#ofKeys.get(key.id) ?? NO_LIMITS
  }
}

function prepare(owners: Prepared['owners'], fixed: Prepared['fixed']): Prepared {
  const listed = owners.flatMap(({ periods }) => periods)
  const isAlike = listed.every(({ listed: { filter } }) => filter.matches === null && filter.tag === null)
  const hasSessions = owners.some(({ sessions }) => sessions.length > 0)
  return { owners, always: isAlike && !hasSessions ? metersFrom(fixed, listed) : null, fixed }
}

function metersFrom(fixed: Prepared['fixed'], listed: Meters['listed']): Meters {
  return { stops: [...fixed, ...listed.filter((meter) => !onlyWarns(meter.listed))], listed }
}

function resetOf(source: LimitSource): number | null {
  if (source.kind === 'month') return source.account.counters.month.resetsAt
  return source.kind === 'listed' ? source.changesAt : null
}

function hasChanged({ list }: OwnedLimits, now: OwnedLimits['list']): boolean {
  return list !== now && list.length + now.length > 0
}

function isUnder(filter: PeriodMeter['listed']['filter'], subject: Subject): boolean {
  if (filter.tag !== null && filter.tag !== subject.tag) return false
  return subject.models.some(({ id, providerId }) => isModelCounted(filter, id, providerId))
}
