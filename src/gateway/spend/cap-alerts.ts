import type { CapAlert } from '../../shared/api/events.ts'
import { addUsd, type NanoUsd, nanoToUsd } from '../../shared/money/money.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { CommonServices } from '../settings/settings.ts'
import type { Limit, RunPlace } from './limit.ts'
import type { SpendLimits } from './spend-limits.ts'

const ACCOUNT = 'All keys'
const FULL = 100

/** `key`: null for a limit of the account. */
interface ReachedLimit {
  key: KeyState | null
  limit: CapAlert['limit']
  spentNano: NanoUsd
  limitNano: number
}

interface ChargingDeps extends Pick<CommonServices, 'settings' | 'events'> {
  limits: SpendLimits
  /** Called when a charge takes the spend to a limit, whatever the thresholds. */
  onReached(reached: ReachedLimit): void
}

/** Adds charges that are durable already to all that counts spend in memory, and alerts. */
export class Charging {
  readonly #deps: ChargingDeps

  constructor(deps: ChargingDeps) {
    this.#deps = deps
  }

  /** `cost` may be negative, where an estimate is corrected. */
  charge(cost: NanoUsd, { key, createdAt, sessionId, agentId, ...what }: ChargeContext): void {
    const of = { keyId: key.id, ...what }
    const run = { sessionId, agentId }
    const { limits: all } = this.#deps
    const limits = all.findCharged(key, of, run)
    let before: NanoUsd[] = []
    try {
      before = limits.map(({ spentNano }) => spentNano)
    } finally {
      // The charge is durable already: it must count, even if this fails.
      key.spendNano = addUsd(key.spendNano, cost)
      all.account.counters.charge(cost, createdAt, of)
      all.chargeSession(key, of, run, cost)
    }
    this.#alert(limits, before)
  }

  /**
   * Publishes an event when a charge takes the spend past a threshold of a limit. Without state: only the charge that crosses
   * a threshold counts, so thresholds passed earlier (in a previous run, or because the user changed the limit or the
   * thresholds) are not reported, and after a raise or in a new period they are reported again. To be called synchronously
   * after the charge was added to what these count, which was `before`: no other charge may come in between.
   */
  #alert(limits: readonly Limit[], before: readonly NanoUsd[]): void {
    for (const [index, limit] of limits.entries()) {
      const { key, limitNano, spentNano } = limit
      const earlier = before[index]
      // Requests of a revoked key are rejected anyway.
      if (earlier === undefined || (key && key.revokedAt !== null)) continue
      if (earlier < limitNano && spentNano >= limitNano)
        this.#deps.onReached({ key, limit: describeLimit(limit), spentNano, limitNano })
      const percent = crossedThreshold(this.#thresholdsFor(limit), earlier, spentNano, limitNano)
      if (percent !== null) this.#publish(limit, percent)
    }
  }

  /** A limit that only warns must always say so at 100 %. */
  #thresholdsFor({ terms }: Limit): readonly number[] {
    const { notifyAtPercent } = this.#deps.settings.value
    const warns = terms.action === 'warn'
    return warns && !notifyAtPercent.includes(FULL) ? [...notifyAtPercent, FULL] : notifyAtPercent
  }

  #publish(limit: Limit, percent: number): void {
    const { key, terms, spentNano } = limit
    const alert = {
      keyId: key?.id ?? null,
      name: key?.name ?? ACCOUNT,
      percent,
      spentUsd: nanoToUsd(spentNano),
      limitUsd: terms.usd,
      limit: describeLimit(limit),
    }
    this.#deps.events.publish('cap-alert', () => ({ type: 'cap-alert', alert }))
  }
}

function describeLimit({ index, terms }: Limit): ReachedLimit['limit'] {
  const { usd: _usd, ...rest } = terms
  return { ...rest, index }
}

/**
 * The highest of `thresholds` (percent of `limit`, ascending) that spend crossed by going from `before` to `spent`; null
 * for none. A limit of zero has no thresholds: nothing can be spent under it.
 */
export function crossedThreshold(
  thresholds: readonly number[],
  before: number,
  spent: number,
  limit: number,
): number | null {
  let crossed: number | null = null
  for (const threshold of thresholds) {
    const amount = (limit * threshold) / 100
    if (before < amount && spent >= amount) crossed = threshold
  }
  return crossed
}

/** The request that a charge is for. */
export interface ChargeContext extends RunPlace {
  key: KeyState
  /** When the request was made. */
  createdAt: number
  /** The model and provider that served it, as the ledger names them. */
  model: string
  provider: string
  tag: string | null
}
