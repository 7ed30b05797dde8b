// Limits that stop a request or warn of it: the cap of its key, the monthly limit, and the listed limits of either.

import type { AccountSpendLimit, AccountSpendLimitState } from '../../shared/api/spend-limits.ts'
import { isOfRuns } from '../../shared/limits/limits.ts'
import {
  addUsd,
  type NanoUsd,
  nanoToUsd,
  nanoUsd,
  subtractUsd,
  usdToNano,
  ZERO_USD,
} from '../../shared/money/money.ts'
import { createMatcher } from '../../shared/values/model-pattern.ts'
import type { KeyState } from '../keys/key-state.ts'
import { formatTime } from '../platform/clock.ts'
import type { AccountService } from './account.ts'
import {
  CalendarCounter,
  type CounterContext,
  isModelCounted,
  LifetimeCounter,
  RollingCounter,
  type SpendCounter,
  type SpendFilter,
} from './spend-counter.ts'
import type { SpendTracker } from './spend-tracker.ts'

/** A limit, and what is spent and reserved under it. */
export interface Limit {
  /** Null for a limit of the account. */
  readonly key: KeyState | null
  /** Its place in `spendLimits`; null for the cap of a key and the monthly limit. */
  readonly index: number | null
  /** The cap of a key is a limit per lifetime, the monthly limit one per month. */
  readonly terms: AccountSpendLimit
  /** Infinity without a limit. */
  readonly limitNano: number
  readonly spentNano: NanoUsd
  readonly reservedNano: NanoUsd
  readonly period: Period
  /** Whether the reservation with this number, in the order of admission, is part of what is reserved. */
  counts(number: number): boolean
}

/** When the spend under a limit becomes less, in epoch milliseconds; null where it never does. */
type Period = Pick<SpendCounter, 'resetsAt' | 'changesAt' | 'zone'>

const ENDLESS: Period = { resetsAt: null, changesAt: null, zone: 'UTC' }

/** The limit of requests that a plan pays for: none. */
export const NO_LIMIT: Limit = {
  key: null,
  index: null,
  terms: { usd: Infinity, per: 'lifetime' },
  limitNano: Infinity,
  spentNano: ZERO_USD,
  reservedNano: ZERO_USD,
  period: ENDLESS,
  counts: () => true,
}

/** The lifetime cap of a key, if it has one. */
export function createCap(key: KeyState): Limit {
  return {
    key,
    index: null,
    period: ENDLESS,
    get terms(): AccountSpendLimit {
      return { usd: key.spendLimitUsd ?? Infinity, per: 'lifetime' }
    },
    get limitNano() {
      return key.limitNano ?? Infinity
    },
    get spentNano() {
      return key.spendNano
    },
    get reservedNano() {
      return key.reservedNano
    },
    counts: () => true,
  }
}

/** The monthly limit, if there is one. */
export function createMonthlyLimit(account: AccountService): Limit {
  return {
    key: null,
    index: null,
    period: account.counters.month,
    get terms(): AccountSpendLimit {
      return { usd: account.monthlyLimitUsd ?? Infinity, per: 'month' }
    },
    get limitNano() {
      return account.monthlyLimitNano ?? Infinity
    },
    get spentNano() {
      return account.counters.month.spentNano
    },
    get reservedNano() {
      return account.reservedNano
    },
    counts: () => true,
  }
}

/** The spend in the current period of a listed limit, or in one session. */
export type Spend = Period & Pick<SpendCounter, 'spentNano'>

/** The place of a request in the run of an agent. */
export interface RunPlace {
  sessionId: string | null
  /** The sub-agent that sent it; null for the main agent. */
  agentId: string | null
}

/** The spend of one session, or of one sub-agent. */
type SessionSpend = Spend & { spentNano: NanoUsd }

/** One of `spendLimits`: for one period at a time, one session or one sub-agent. */
export class ListedLimit<T extends Spend = Spend> implements Limit {
  readonly key: KeyState | null
  readonly index: number
  readonly terms: AccountSpendLimit
  readonly period: T
  readonly #limitNano: NanoUsd
  /** The amount that its owner has allowed beyond it in this period. */
  #allowedNano: NanoUsd = ZERO_USD
  #reservedNano: NanoUsd = ZERO_USD
  /** The reservations before it were made in earlier periods, in which their requests count. */
  #firstNumber = 0
  #lastNumber = -1
  /** The amounts that those have reserved since this period began. Its limit has to leave them: no other limit would. */
  readonly #fromEarlier = new Map<number, NanoUsd>()
  #resetsAt: number | null = null

  constructor({ key, index, terms }: Pick<ListedLimit, 'key' | 'index' | 'terms'>, period: T) {
    this.key = key
    this.index = index
    this.terms = terms
    this.period = period
    this.#limitNano = usdToNano(terms.usd)
  }

  get limitNano(): number {
    return this.#allowedNano === 0 ? this.#limitNano : addUsd(this.#limitNano, this.allowedNano)
  }
  get allowedNano(): NanoUsd {
    this.#followPeriod()
    return this.#allowedNano
  }
  get spentNano(): NanoUsd {
    return this.period.spentNano
  }
  /** Allows so much more in this period, or takes back a negative amount. */
  allow(nano: NanoUsd): void {
    this.#allowedNano = nanoUsd(Math.max(0, addUsd(this.allowedNano, nano)))
  }
  /** The reservations admitted in this period, and the amounts that streams of earlier periods have added in it. */
  get reservedNano(): NanoUsd {
    this.#followPeriod()
    return this.#reservedNano
  }
  /** `number`: of the reservation, in the order of admission. */
  reserve(difference: NanoUsd, number: number): void {
    this.#followPeriod()
    this.#lastNumber = Math.max(this.#lastNumber, number)
    const counted = number < this.#firstNumber ? this.#addEarlier(number, difference) : difference
    this.#reservedNano = addUsd(this.#reservedNano, counted)
  }
  counts(number: number): boolean {
    this.#followPeriod()
    return number >= this.#firstNumber
  }
  clearReserved(): void {
    this.#reservedNano = ZERO_USD
    this.#fromEarlier.clear()
  }
  /**
   * Counts the additions of an earlier reservation; its original amount is not counted, so its release does not count
   * either. Returns the change of the sum.
   */
  #addEarlier(number: number, difference: NanoUsd): NanoUsd {
    const before = this.#fromEarlier.get(number) ?? ZERO_USD
    const after = nanoUsd(Math.max(0, addUsd(before, difference)))
    if (after > 0) this.#fromEarlier.set(number, after)
    else this.#fromEarlier.delete(number)
    return subtractUsd(after, before)
  }
  /** Never back to an earlier period: a clock that is set back and forth must not release what is reserved. */
  #followPeriod(): void {
    const { resetsAt } = this.period
    if (resetsAt === null || (this.#resetsAt !== null && resetsAt <= this.#resetsAt)) return
    if (this.#resetsAt !== null) {
      this.#firstNumber = this.#lastNumber + 1
      this.clearReserved()
      this.#allowedNano = ZERO_USD
    }
    this.#resetsAt = resetsAt
  }
  /** As the API shows it. */
  get state(): AccountSpendLimitState {
    const { resetsAt } = this.period
    const { allowedNano } = this
    return {
      ...this.terms,
      ...(allowedNano > 0 && { allowedUsd: nanoToUsd(allowedNano) }),
      spentUsd: nanoToUsd(this.spentNano),
      reservedUsd: nanoToUsd(this.reservedNano),
      resetsAt: formatTime(resetsAt),
    }
  }
}

/** The limits that one request is under, together. */
export interface RequestLimits {
  /** The limits that stop it. Never empty. */
  readonly stops: readonly [Limit, ...Limit[]]
  /** Where it reserves, besides its key and the account. */
  readonly listed: readonly ListedLimit[]
}

/** The rest of a limit in nano-dollars; Infinity without one. */
export function computeLeft({ limitNano, spentNano, reservedNano }: Limit): number {
  return limitNano === Infinity ? Infinity : limitNano - spentNano - reservedNano
}

/** The smallest rest of all limits; Infinity without a limit. */
export function computeLeastLeft({ stops }: RequestLimits): number {
  let least = Infinity
  for (const limit of stops) least = Math.min(least, computeLeft(limit))
  return least
}

/** The limit that is used up, one that does not ask before others; null for none. */
export function findReached({ stops }: RequestLimits): Limit | null {
  let asking: Limit | null = null
  for (const limit of stops) {
    if (limit.spentNano < limit.limitNano) continue
    if (limit.terms.action !== 'ask') return limit
    asking ??= limit
  }
  return asking
}

/** The limit that leaves least. */
export function findTightest({ stops: [first, ...others] }: RequestLimits): Limit {
  return others.reduce((least, limit) => (computeLeft(limit) < computeLeft(least) ? limit : least), first)
}

// The limits that a key or the account lists in `spendLimits`.

/** The listed limits of one key, or of the account. */
export interface ListedLimits {
  /** The list that they were made of. */
  list: readonly AccountSpendLimit[]
  periods: readonly ListedLimit<SpendCounter>[]
  sessions: readonly SessionLimits[]
  /** As the API shows them, in the order of the list. */
  states(): AccountSpendLimitState[]
}

const NO_LIMITS: ListedLimits = { list: [], periods: [], sessions: [], states: () => [] }

/** The listed limits in effect, by their owner. */
export class LimitsByOwner {
  readonly #byKey = new Map<string, ListedLimits>()
  ofAccount = NO_LIMITS

  find(keyId: string): ListedLimits {
    return this.#byKey.get(keyId) ?? NO_LIMITS
  }

  set(keyId: string, limits: ListedLimits): void {
    if (limits.list.length > 0) this.#byKey.set(keyId, limits)
    else this.#byKey.delete(keyId)
  }
}

/** `key`: null for those of the account. */
export function createListedLimits(
  list: readonly AccountSpendLimit[],
  key: KeyState | null,
  counters: SpendTracker,
): ListedLimits {
  const context = counters.createContext(() => (key ? key.spendNano : counters.totalNano))
  const periods: ListedLimit<SpendCounter>[] = []
  const sessions: SessionLimits[] = []
  const states = list.map((terms, index): (() => AccountSpendLimitState) => {
    const filter = createFilter(terms, key)
    if (isOfRuns(terms.per)) {
      const limits = new SessionLimits({ key, terms, index }, filter)
      sessions.push(limits)
      return () => limits.last.state
    }
    const limit = new ListedLimit({ key, terms, index }, createCounter(terms, filter, context))
    periods.push(limit)
    return () => limit.state
  })
  return { list, periods, sessions, states: () => states.map((state) => state()) }
}

export function createFilter(
  { model, tag }: AccountSpendLimit,
  key: Pick<KeyState, 'id'> | null,
): SpendFilter {
  return {
    keyId: key?.id ?? null,
    matches: model === undefined ? null : createMatcher([model]),
    tag: tag ?? null,
  }
}

function createCounter(
  { per, window }: AccountSpendLimit,
  filter: SpendFilter,
  context: CounterContext,
): SpendCounter {
  if (per === 'lifetime' || isOfRuns(per)) return new LifetimeCounter(filter, context)
  return window === 'rolling'
    ? new RollingCounter(per, filter, context)
    : new CalendarCounter(per, filter, context)
}

/** Sessions whose spend is remembered; that of others is read from the ledger again. */
const MAX_SESSIONS = 5_000

/** One of `spendLimits` that is per session or sub-agent: a limit for each of them that is known. */
export class SessionLimits {
  readonly filter: SpendFilter
  readonly #place: Pick<ListedLimit, 'key' | 'index' | 'terms'>
  readonly #bySession = new Map<string, ListedLimit<SessionSpend>>()
  /** The limit of the session used last. */
  #last: ListedLimit<SessionSpend>

  constructor(place: Pick<ListedLimit, 'key' | 'index' | 'terms'>, filter: SpendFilter) {
    this.filter = filter
    this.#place = place
    this.#last = new ListedLimit(place, { ...ENDLESS, spentNano: ZERO_USD })
  }

  /** The limit of the session used last. */
  get last(): ListedLimit {
    return this.#last
  }

  /** Whether it is for a sub-agent, not for its whole session. */
  get isPerAgent(): boolean {
    return this.#place.terms.per === 'subagent'
  }

  /** Whether the spend of a run is known, as far as it is limited. */
  has(run: RunPlace): boolean {
    const name = this.#nameRun(run)
    return name === null || this.#bySession.has(name)
  }

  /** Null for a run that is not limited, or whose spend was not read yet. */
  use(run: RunPlace): ListedLimit | null {
    const limit = this.#bySession.get(this.#nameRun(run) ?? '') ?? null
    if (limit) this.#last = limit
    return limit
  }

  /**
   * `models`: what the ledger has of the run. `unknownNano`: what may or may not be in it. What is counted of a run that is known
   * is at least that, and changes only to what is certain.
   */
  load(
    run: RunPlace,
    models: readonly { model: string; provider: string; nano: number }[],
    unknownNano: NanoUsd,
  ): void {
    const name = this.#nameRun(run)
    if (name === null) return
    const counted = models.filter(({ model, provider }) => isModelCounted(this.filter, model, provider))
    const spentNano = nanoUsd(counted.reduce((sum, { nano }) => sum + nano, 0) + unknownNano)
    const known = this.#bySession.get(name)
    if (known && unknownNano === 0) known.period.spentNano = spentNano
    if (known) return
    this.#bySession.set(name, new ListedLimit(this.#place, { ...ENDLESS, spentNano }))
    if (this.#bySession.size > MAX_SESSIONS) this.#forgetOldest()
  }

  add(run: RunPlace, cost: NanoUsd): void {
    const spend = this.#bySession.get(this.#nameRun(run) ?? '')?.period
    if (spend) spend.spentNano = addUsd(spend.spentNano, cost)
  }

  /** Null for what is not limited: a request without a session, or of its main agent. */
  #nameRun({ sessionId, agentId }: RunPlace): string | null {
    if (!this.isPerAgent || sessionId === null) return sessionId
    return agentId === null ? null : `${sessionId} ${agentId}`
  }

  #forgetOldest(): void {
    for (const [id, { reservedNano }] of this.#bySession) {
      if (this.#bySession.size <= MAX_SESSIONS / 2) return
      if (reservedNano === 0) this.#bySession.delete(id)
    }
  }
}
