import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { EventHub } from '../platform/events.ts'
import type { Settings } from '../settings/settings.ts'
import type { LimitSource, Meter } from './meter.ts'

const MONTHLY_LIMIT = 'Monthly limit'
const ACCOUNT = 'All keys'
const FULL = 100

/**
 * Publishes an event when a charge takes the spend past a threshold of a limit. Without state: only the charge that crosses
 * a threshold counts, so thresholds passed earlier (in a previous run, or because the user changed the limit or the
 * thresholds) are not reported, and after a raise or in a new period they are reported again.
 */
export class CapAlerts {
  readonly #settings: Settings
  readonly #events: EventHub

  constructor(settings: Settings, events: EventHub) {
    this.#settings = settings
    this.#events = events
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

  #publish(source: LimitSource, percent: number, at: { spentNano: NanoUsd; limitNano: number }): void {
    const spentUsd = nanoToUsd(at.spentNano)
    if (source.kind !== 'listed') {
      const whose =
        source.kind === 'cap'
          ? { keyId: source.key.id, name: source.key.name }
          : { keyId: null, name: MONTHLY_LIMIT }
      const limitUsd = nanoToUsd(at.limitNano as NanoUsd)
      const alert = { ...whose, percent, spentUsd, limitUsd }
      this.#events.publish('cap-alert', () => ({ type: 'cap-alert', alert }))
      return
    }
    const { key, limit, index } = source
    const { usd: limitUsd, ...rest } = limit
    const named = { keyId: key?.id ?? null, name: key?.name ?? ACCOUNT }
    const alert = { ...named, percent, spentUsd, limitUsd, limit: { ...rest, index } }
    this.#events.publish('cap-alert', () => ({ type: 'cap-alert', alert }))
  }
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
