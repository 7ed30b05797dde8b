// Limits of what may be spent, each of a key or of the account, for one period at a time, one session or one sub-agent.

import { isDeepStrictEqual } from 'node:util'
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
import {
  type CounterContext,
  findCalendarPeriod,
  findRollingPeriod,
  isModelCounted,
  LifetimeCounter,
  PeriodCounter,
  type SpendCounter,
  type SpendFilter,
} from './spend-counter.ts'
import type { SpendTracker } from './spend-tracker.ts'

/** The spend in the current period, in one session or of one sub-agent, and when it becomes less, in epoch milliseconds; null for never. */
export type Spend = Pick<SpendCounter, 'spentNano' | 'resetsAt' | 'changesAt' | 'zone'>

const ENDLESS = { resetsAt: null, changesAt: null, zone: 'UTC' }

/** The place of a request in the run of an agent. */
export interface RunPlace {
  sessionId: string | null
  /** The sub-agent that sent it; null for the main agent. */
  agentId: string | null
}

/** The spend of one session, or of one sub-agent. */
type SessionSpend = Spend & { spentNano: NanoUsd }

/** The identity of a limit. */
interface LimitPlace {
  /** Null for a limit of the account. */
  readonly key: KeyState | null
  /** Its place in `spendLimits`. */
  readonly index: number
  readonly terms: AccountSpendLimit
}

/** A limit, and what is spent and reserved under it. */
export class Limit<T extends Spend = Spend> implements LimitPlace {
  readonly key: KeyState | null
  readonly index: number
  readonly terms: AccountSpendLimit
  readonly period: T
  readonly #limitNano: NanoUsd
  /** The amount that its owner has allowed beyond it in this period. */
  #allowedNano: NanoUsd = ZERO_USD
  #reservedNano: NanoUsd = ZERO_USD
  /** The first reservation of this period. Requests with an earlier one count in the period in which they were admitted. */
  #firstNumber = 0
  #lastNumber = -1
  /**
   * What requests of earlier periods have added to their reservations since this period began. This limit must leave room for
   * it, as no other one does.
   */
  readonly #fromEarlier = new Map<number, NanoUsd>()
  #resetsAt: number | null = null

  constructor({ key, index, terms }: LimitPlace, period: T) {
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
    const earlierNano = this.#fromEarlier.get(number) ?? ZERO_USD
    const after = nanoUsd(Math.max(0, addUsd(earlierNano, difference)))
    if (after > 0) this.#fromEarlier.set(number, after)
    else this.#fromEarlier.delete(number)
    return subtractUsd(after, earlierNano)
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
  /** The limits in which it reserves. */
  readonly all: readonly Limit[]
  /** The limits that stop it. */
  readonly stops: readonly Limit[]
}

/** The rest of a limit in nano-dollars. */
export function computeLeft({ limitNano, spentNano, reservedNano }: Limit): number {
  return limitNano - spentNano - reservedNano
}

/** The smallest rest of all limits; Infinity without a limit. */
export function computeLeastLeft({ stops }: RequestLimits): number {
  return stops.reduce((least, limit) => Math.min(least, computeLeft(limit)), Infinity)
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

/** The limit that leaves least; null for none. */
export function findTightest({ stops }: Pick<RequestLimits, 'stops'>): Limit | null {
  return stops.toSorted((a, b) => computeLeft(a) - computeLeft(b))[0] ?? null
}

type PeriodLimit = Limit<SpendCounter>

/** The limits of one key, or of the account. */
export class OwnerLimits {
  /** The list of which they were made. */
  readonly list: readonly AccountSpendLimit[]
  readonly periods: readonly PeriodLimit[]
  readonly sessions: readonly SessionLimits[]
  /** In the order of the list. */
  readonly #limits: readonly (PeriodLimit | SessionLimits)[]

  constructor(
    list: readonly AccountSpendLimit[] = [],
    create?: (terms: AccountSpendLimit, index: number) => PeriodLimit | SessionLimits,
  ) {
    this.list = list
    this.#limits = create ? list.map(create) : []
    this.periods = this.#limits.filter((limit) => limit instanceof Limit)
    this.sessions = this.#limits.filter((limit) => limit instanceof SessionLimits)
  }

  /** The limit at a place of the list; undefined for none. */
  at(index: number): PeriodLimit | SessionLimits | undefined {
    return this.#limits[index]
  }
  /** As the API shows them, in the order of the list. */
  states(): AccountSpendLimitState[] {
    return this.#limits.map((limit) => (limit instanceof Limit ? limit : limit.last).state)
  }
}

const NO_LIMITS = new OwnerLimits()

/** The limits in effect, by their owner. */
export class LimitsByOwner {
  readonly #byKey = new Map<string, OwnerLimits>()
  ofAccount = NO_LIMITS

  find(keyId: string): OwnerLimits {
    return this.#byKey.get(keyId) ?? NO_LIMITS
  }

  set(keyId: string, limits: OwnerLimits): void {
    if (limits.list.length > 0) this.#byKey.set(keyId, limits)
    else this.#byKey.delete(keyId)
  }
}

/**
 * Creates the limits of a list. One that is unchanged at its place stays, with what was allowed beyond it. `key`: null for those of
 * the account.
 */
export function createLimits(
  list: readonly AccountSpendLimit[],
  key: KeyState | null,
  { previous, counters }: { previous: OwnerLimits; counters: SpendTracker },
): OwnerLimits {
  const context = counters.createContext(() => (key ? key.spendNano : counters.totalNano))
  return new OwnerLimits(list, (terms, index) => {
    const unchanged = isDeepStrictEqual(previous.list[index], terms) ? previous.at(index) : undefined
    if (unchanged) return unchanged
    const filter = createFilter(terms, key)
    return isOfRuns(terms.per)
      ? new SessionLimits({ key, terms, index }, filter)
      : new Limit({ key, terms, index }, createCounter(terms, filter, context))
  })
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
  const find = window === 'rolling' ? findRollingPeriod(per) : findCalendarPeriod(per)
  return new PeriodCounter(find, filter, context)
}

/** Sessions whose spend is remembered; that of others is read from the ledger again. */
const MAX_SESSIONS = 5_000

/** One of `spendLimits` that is per session or sub-agent: a limit for each of them that is known. */
export class SessionLimits {
  readonly filter: SpendFilter
  readonly terms: AccountSpendLimit
  readonly #place: LimitPlace
  readonly #bySession = new Map<string, Limit<SessionSpend>>()
  #last: Limit<SessionSpend>

  constructor(place: LimitPlace, filter: SpendFilter) {
    this.filter = filter
    this.terms = place.terms
    this.#place = place
    this.#last = new Limit(place, { ...ENDLESS, spentNano: ZERO_USD })
  }

  /** The limit of the session used last. */
  get last(): Limit {
    return this.#last
  }

  /** Whether it is for a sub-agent, not for its whole session. */
  get isPerAgent(): boolean {
    return this.terms.per === 'subagent'
  }

  /** Whether the spend of a run is known, as far as it is limited. */
  has(run: RunPlace): boolean {
    const name = this.#nameRun(run)
    return name === null || this.#bySession.has(name)
  }

  /** Null for a run that is not limited, or whose spend was not read yet. */
  use(run: RunPlace): Limit | null {
    const limit = this.#bySession.get(this.#nameRun(run) ?? '') ?? null
    if (limit) this.#last = limit
    return limit
  }

  /**
   * Sets the spend of a run. `models`: what the ledger has of it. `unknownNano`: charges that it may or may not have yet; with any,
   * a run that is counted already stays as it is.
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
    const sessionLimit = this.#bySession.get(name)
    if (sessionLimit && unknownNano === 0) sessionLimit.period.spentNano = spentNano
    if (sessionLimit) return
    this.#bySession.set(name, new Limit(this.#place, { ...ENDLESS, spentNano }))
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
