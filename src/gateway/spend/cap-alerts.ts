import type { CapAlert } from '../../shared/events.ts'
import { addUsd, type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { KeyState } from '../keys/key-state.ts'
import type { EventHub } from '../platform/events.ts'
import type { Settings } from '../settings/settings.ts'
import type { LimitSource, Meter } from './meter.ts'
import type { SpendLimits } from './spend-limits.ts'

const MONTHLY_LIMIT = 'Monthly limit'
const ACCOUNT = 'All keys'
const FULL = 100

interface Amounts {
  spentNano: NanoUsd
  limitNano: number
}

/** `key`: null for a limit of the account. `limit`: which of `spendLimits`; null for the cap of a key and the monthly limit. */
type Reached = Amounts & { key: KeyState | null; limit: NonNullable<CapAlert['limit']> | null }

/**
 * Publishes an event when a charge takes the spend past a threshold of a limit. Without state: only the charge that crosses
 * a threshold counts, so thresholds passed earlier (in a previous run, or because the user changed the limit or the
 * thresholds) are not reported, and after a raise or in a new period they are reported again.
 */
export class CapAlerts {
  readonly #settings: Settings
  readonly #events: EventHub

  /** Called when a charge takes the spend to a limit, whatever the thresholds. */
  readonly #onReached: (reached: Reached) => void

  constructor(settings: Settings, events: EventHub, onReached: (reached: Reached) => void) {
    this.#settings = settings
    this.#events = events
    this.#onReached = onReached
  }

  /**
   * To be called synchronously after a charge was added to what these count, which was `before`: no other charge may come
   * in between.
   */
  charged(meters: readonly Meter[], before: readonly NanoUsd[]): void {
    for (const [index, meter] of meters.entries()) {
      const { source, limitNano, spentNano } = meter
      const earlier = before[index]
      if (limitNano === Infinity || earlier === undefined || isRevoked(source)) continue
      if (earlier < limitNano && spentNano >= limitNano)
        this.#onReached({ ...nameSource(source), spentNano, limitNano })
      const percent = crossedThreshold(this.#thresholdsOf(source), earlier, spentNano, limitNano)
      if (percent !== null) this.#publish(source, percent, { spentNano, limitNano })
    }
  }

  /** What a limit that only warns is for must be said in any case. */
  #thresholdsOf(source: LimitSource): readonly number[] {
    const { notifyAtPercent } = this.#settings.value
    const warns = source.kind === 'listed' && source.limit.action === 'warn'
    return warns && !notifyAtPercent.includes(FULL) ? [...notifyAtPercent, FULL] : notifyAtPercent
  }

  #publish(source: LimitSource, percent: number, at: Amounts): void {
    const { key, limit } = nameSource(source)
    const alert = {
      keyId: key?.id ?? null,
      name: key?.name ?? (limit ? ACCOUNT : MONTHLY_LIMIT),
      percent,
      spentUsd: nanoToUsd(at.spentNano),
      limitUsd: source.kind === 'listed' ? source.limit.usd : nanoToUsd(at.limitNano as NanoUsd),
      ...(limit ? { limit } : {}),
    }
    this.#events.publish('cap-alert', () => ({ type: 'cap-alert', alert }))
  }
}

function nameSource(source: LimitSource): Pick<Reached, 'key' | 'limit'> {
  if (source.kind !== 'listed') return { key: source.kind === 'cap' ? source.key : null, limit: null }
  const { usd: _usd, ...limit } = source.limit
  return { key: source.key, limit: { ...limit, index: source.index } }
}

/** Its requests are rejected anyway. */
function isRevoked(source: LimitSource): boolean {
  return source.kind !== 'month' && source.key !== null && source.key.revokedAt !== null
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

/** What a charge is for. */
export interface Charged {
  key: KeyState
  /** When the request was made. */
  createdAt: number
  /** The model and provider that served it, as the ledger names them. */
  model: string
  provider: string
  tag: string | null
  sessionId: string | null
}

/** Adds charges that are durable already to all that counts spend in memory, and alerts. */
export class Charging {
  readonly #limits: SpendLimits
  readonly #alerts: CapAlerts

  constructor(limits: SpendLimits, alerts: CapAlerts) {
    this.#limits = limits
    this.#alerts = alerts
  }

  /** `cost` may be negative, where an estimate is corrected. */
  charge(cost: NanoUsd, { key, createdAt, sessionId, ...what }: Charged): void {
    const of = { keyId: key.id, ...what }
    const meters = this.#limits.metersOfCharge(key, of, sessionId)
    let before: NanoUsd[] = []
    try {
      before = meters.map(({ spentNano }) => spentNano)
    } finally {
      // The charge is durable already: it must count, even if this fails.
      key.spendNano = addUsd(key.spendNano, cost)
      this.#limits.account.charge(cost, createdAt, of)
      this.#limits.chargeSession(key, of, sessionId, cost)
    }
    this.#alerts.charged(meters, before)
  }
}
