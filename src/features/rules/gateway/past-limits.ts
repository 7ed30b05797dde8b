// How much of limits was used when past requests came, from what these have cost.
import type { KeyState } from '../../../gateway/keys/key-state.ts'
import { createFilter } from '../../../gateway/spend/limit.ts'
import {
  isCounted,
  ROLLING_MS,
  SPANS,
  type SpendFilter,
  type SpendOf,
} from '../../../gateway/spend/spend-counter.ts'
import type { AccountSpendLimit } from '../../../shared/api/spend-limits.ts'
import { isOfRuns } from '../../../shared/limits/limits.ts'
import { usdToNano } from '../../../shared/money/money.ts'
import type { StateFacts } from '../api/facts.ts'
import type { PastRequest, PastSum } from './past-rows.ts'

export interface PastSpend extends SpendOf {
  createdAt: number
  /** When the charge began to count. */
  settledAt: number
  nano: number
  session: string
  /** '' for the main agent. */
  agent: string
}

interface PastLimit {
  filter: SpendFilter
  limitNano: number
  spent: PastCounter
}

interface PastCounter {
  add(spend: PastSpend): void
  /** Null where the request is not under the limit. */
  read(at: number, run: Pick<PastSpend, 'session' | 'agent'>): number | null
}

/** Spend of calendar periods, in the order of time. */
function countPeriods(findSpan: (at: number) => { start: number; end: number }): PastCounter {
  let span = { start: 0, end: 0 }
  let nano = 0
  const enter = (at: number) => {
    if (at < span.end) return
    span = findSpan(at)
    nano = 0
  }
  return {
    add(spend) {
      enter(spend.createdAt)
      if (spend.createdAt >= span.start) nano += spend.nano
    },
    read(at) {
      enter(at)
      return nano
    },
  }
}

function countRolling(ms: number): PastCounter {
  const spends: PastSpend[] = []
  let first = 0
  let nano = 0
  return {
    add(spend) {
      spends.push(spend)
      nano += spend.nano
    },
    read(at) {
      for (let old = spends[first]; old && old.createdAt <= at - ms; old = spends[++first]) nano -= old.nano
      return nano
    },
  }
}

function countRuns(isPerAgent: boolean): PastCounter {
  const byRun = new Map<string, number>()
  const getName = ({ session, agent }: Pick<PastSpend, 'session' | 'agent'>) =>
    isPerAgent ? `${session} ${agent}` : session
  return {
    add: (spend) => byRun.set(getName(spend), (byRun.get(getName(spend)) ?? 0) + spend.nano),
    read: (_, run) => (isPerAgent && run.agent === '' ? null : (byRun.get(getName(run)) ?? 0)),
  }
}

function countAll(spentBefore: number): PastCounter {
  let nano = spentBefore
  return {
    add: (spend) => {
      nano += spend.nano
    },
    read: () => nano,
  }
}

/** The limits of keys and of the account, as they are or as they are tried. */
export interface LimitOwners {
  keys: readonly Pick<KeyState, 'id' | 'spendLimits'>[]
  accountLimits: readonly AccountSpendLimit[]
}

/** Where the first period begins that spend from a time on may be in. It is the start of 15 minutes. */
export function findLimitStart(limits: readonly AccountSpendLimit[], from: number, zone: string): number {
  const starts = limits.map(({ per, window }) => {
    if (per === 'lifetime') return from
    if (isOfRuns(per)) return from - ROLLING_MS.month
    return window === 'rolling' ? from - ROLLING_MS[per] : SPANS[per](from, zone).start
  })
  return Math.min(from, ...starts)
}

/** Goes through requests in the order in which they came. */
export class PastLimits {
  readonly #byKey = new Map<string, PastLimit[]>()
  readonly #ofAccount: PastLimit[]
  /** Charges that do not count yet. */
  #waiting: PastSpend[] = []

  /** `sums`: what was spent before the first request. */
  constructor({ keys, accountLimits }: LimitOwners, zone: string, sums: readonly PastSum[]) {
    const create = (list: readonly AccountSpendLimit[], key: Pick<KeyState, 'id'> | null) =>
      list.map((terms): PastLimit => {
        const filter = createFilter(terms, key)
        return { filter, limitNano: usdToNano(terms.usd), spent: createCounter(terms, filter, zone, sums) }
      })
    for (const key of keys) this.#byKey.set(key.id, create(key.spendLimits, key))
    this.#ofAccount = create(accountLimits, null)
  }

  /** How much is used when a request comes. `request`: also what it will cost. */
  read(at: number, request: PastSpend): Pick<StateFacts, 'keyPercent' | 'accountPercent'> {
    this.#settle(at)
    const most = (limits: readonly PastLimit[]) => {
      const shares = limits.flatMap(({ filter, limitNano, spent }) => {
        if (!isCounted(filter, request)) return []
        const nano = spent.read(at, request)
        return nano === null ? [] : [limitNano > 0 ? (nano / limitNano) * 100 : 100]
      })
      return shares.length === 0 ? null : Math.max(...shares)
    }
    return { keyPercent: most(this.#byKey.get(request.keyId) ?? []), accountPercent: most(this.#ofAccount) }
  }

  add(spend: PastSpend): void {
    if (spend.nano > 0) this.#waiting.push(spend)
  }

  #settle(at: number): void {
    if (this.#waiting.length === 0) return
    const waiting: PastSpend[] = []
    for (const spend of this.#waiting) {
      if (spend.settledAt > at) waiting.push(spend)
      else
        for (const { filter, spent } of [...(this.#byKey.get(spend.keyId) ?? []), ...this.#ofAccount])
          if (isCounted(filter, spend)) spent.add(spend)
    }
    this.#waiting = waiting
  }
}

function createCounter(
  { per, window }: AccountSpendLimit,
  filter: SpendFilter,
  zone: string,
  sums: readonly PastSum[],
): PastCounter {
  if (per === 'lifetime')
    return countAll(sums.reduce((sum, spent) => sum + (isCounted(filter, spent) ? spent.nano : 0), 0))
  if (isOfRuns(per)) return countRuns(per === 'subagent')
  return window === 'rolling' ? countRolling(ROLLING_MS[per]) : countPeriods((at) => SPANS[per](at, zone))
}

export function toSpend(request: PastRequest): PastSpend {
  const { createdAt, settledAt, costNano, session, agent, keyId, model, provider, tag } = request
  const place = { session, agent, keyId: keyId ?? '', model, provider, tag }
  return { createdAt, settledAt, nano: costNano ?? 0, ...place }
}
