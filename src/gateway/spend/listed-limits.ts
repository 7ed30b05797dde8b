// The limits that a key or the account lists in `spendLimits`.
import { matcherOf } from '../../shared/model-pattern.ts'
import { addUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { AccountSpendLimit, AccountSpendLimitState } from '../../shared/spend-limits.ts'
import type { KeyState } from '../keys/key-state.ts'
import { ListedLimit, SessionSpend } from './limit.ts'
import { RollingCounter } from './rolling-counter.ts'
import {
  CalendarCounter,
  type CounterContext,
  isModelCounted,
  LifetimeCounter,
  type SpendCounter,
  type SpendFilter,
} from './spend-counter.ts'
import type { SpendCounters } from './spend-counters.ts'

/** Those of one key, or of the account. */
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
  counters: SpendCounters,
): ListedLimits {
  const context = counters.createContext(() => (key ? key.spendNano : counters.totalNano))
  const periods: ListedLimit<SpendCounter>[] = []
  const sessions: SessionLimits[] = []
  const states = list.map((terms, index): (() => AccountSpendLimitState) => {
    const filter = createFilter(terms, key)
    if (terms.per === 'session') {
      const limits = new SessionLimits({ key, terms, index }, filter)
      sessions.push(limits)
      return () => limits.state
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
    matches: model === undefined ? null : matcherOf([model]),
    tag: tag ?? null,
  }
}

function createCounter(
  { per, window }: AccountSpendLimit,
  filter: SpendFilter,
  context: CounterContext,
): SpendCounter {
  if (per === 'lifetime' || per === 'session') return new LifetimeCounter(filter, context)
  return window === 'rolling'
    ? new RollingCounter(per, filter, context)
    : new CalendarCounter(per, filter, context)
}

/** Sessions whose spend is remembered; that of others is read from the ledger again. */
const MAX_SESSIONS = 5_000

/** One of `spendLimits` that is per session: a limit for every session that is known. */
export class SessionLimits {
  readonly filter: SpendFilter
  readonly #place: Pick<ListedLimit, 'key' | 'index' | 'terms'>
  readonly #bySession = new Map<string, ListedLimit<SessionSpend>>()
  /** That of the session used last. */
  #last: ListedLimit<SessionSpend>

  constructor(place: Pick<ListedLimit, 'key' | 'index' | 'terms'>, filter: SpendFilter) {
    this.filter = filter
    this.#place = place
    this.#last = new ListedLimit(place, new SessionSpend(ZERO_USD))
  }

  /** As the API shows it: of the session used last. */
  get state(): AccountSpendLimitState {
    return this.#last.state
  }

  has(sessionId: string): boolean {
    return this.#bySession.has(sessionId)
  }

  /** Null for a session whose spend was not read yet. */
  use(sessionId: string): ListedLimit | null {
    const limit = this.#bySession.get(sessionId) ?? null
    if (limit) this.#last = limit
    return limit
  }

  /**
   * `models`: what the ledger has of the session. `unknownNano`: what may or may not be in it. What is counted of a session that
   * is known is at least that, and changes only to what is certain.
   */
  load(
    sessionId: string,
    models: readonly { model: string; provider: string; nano: number }[],
    unknownNano: NanoUsd,
  ): void {
    const counted = models.filter(({ model, provider }) => isModelCounted(this.filter, model, provider))
    const spentNano = nanoUsd(counted.reduce((sum, { nano }) => sum + nano, 0) + unknownNano)
    const known = this.#bySession.get(sessionId)
    if (known && unknownNano === 0) known.period.spentNano = spentNano
    if (known) return
    this.#bySession.set(sessionId, new ListedLimit(this.#place, new SessionSpend(spentNano)))
    if (this.#bySession.size > MAX_SESSIONS) this.#forgetOldest()
  }

  add(sessionId: string, cost: NanoUsd): void {
    const spend = this.#bySession.get(sessionId)?.period
    if (spend) spend.spentNano = addUsd(spend.spentNano, cost)
  }

  #forgetOldest(): void {
    for (const [id, { reservedNano }] of this.#bySession) {
      if (this.#bySession.size <= MAX_SESSIONS / 2) return
      if (reservedNano === 0) this.#bySession.delete(id)
    }
  }
}
