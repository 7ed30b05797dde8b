// The listed limits of one key, or of the account.

import { matcherOf } from '../../shared/model-pattern.ts'
import type { NanoUsd } from '../../shared/money.ts'
import { ZERO_USD } from '../../shared/money.ts'
import type { AccountSpendLimit, AccountSpendLimitState } from '../../shared/spend-limits.ts'
import type { KeyState } from '../keys/key-state.ts'
import { type ListedLimit, PeriodMeter, stateOf } from './meter.ts'
import { RollingCounter } from './rolling-counter.ts'
import { SessionLimit } from './session-limit.ts'
import {
  CalendarCounter,
  type CounterContext,
  LifetimeCounter,
  type SpendCounter,
  type SpendFilter,
} from './spend-counter.ts'
import type { SpendCounters } from './spend-counters.ts'

export interface OwnedLimits {
  /** The list that they were made of. */
  list: readonly AccountSpendLimit[]
  periods: readonly PeriodMeter[]
  sessions: readonly SessionLimit[]
  /** In the order of the list. */
  states(): AccountSpendLimitState[]
}

export const NO_LIMITS: OwnedLimits = { list: [], periods: [], sessions: [], states: () => [] }

/** `key`: null for those of the account. */
export function ownLimits(
  list: readonly AccountSpendLimit[],
  key: KeyState | null,
  counters: SpendCounters,
): OwnedLimits {
  const context = counters.contextOf(() => (key ? key.spendNano : counters.totalNano))
  const periods: PeriodMeter[] = []
  const sessions: SessionLimit[] = []
  const states = list.map((limit, index): (() => AccountSpendLimitState) => {
    const listed: ListedLimit = { key, limit, index, filter: filterOf(limit, key) }
    if (limit.per === 'session') {
      const session = new SessionLimit(listed)
      sessions.push(session)
      return () => stateOf(limit, session.last ?? UNUSED, null)
    }
    const meter = new PeriodMeter(listed, counterOf(limit, listed.filter, context), () => counters.zone)
    periods.push(meter)
    return () => stateOf(limit, meter, meter.counter.resetsAt)
  })
  return { list, periods, sessions, states: () => states.map((state) => state()) }
}

const UNUSED: { spentNano: NanoUsd; reservedNano: NanoUsd } = { spentNano: ZERO_USD, reservedNano: ZERO_USD }

export function filterOf({ model, tag }: AccountSpendLimit, key: Pick<KeyState, 'id'> | null): SpendFilter {
  return {
    keyId: key?.id ?? null,
    matches: model === undefined ? null : matcherOf([model]),
    tag: tag ?? null,
  }
}

function counterOf(
  { per, window }: AccountSpendLimit,
  filter: SpendFilter,
  context: CounterContext,
): SpendCounter {
  if (per === 'lifetime' || per === 'session') return new LifetimeCounter(filter, context)
  return window === 'rolling'
    ? new RollingCounter(per, filter, context)
    : new CalendarCounter(per, filter, context)
}

/** Whether a limit only warns. */
export function onlyWarns({ limit: { action } }: ListedLimit): boolean {
  return action === 'warn'
}
