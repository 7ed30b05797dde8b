import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { EventHub } from '../platform/events.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountService } from './account.ts'

const MONTHLY_LIMIT = 'Monthly limit'

/**
 * Publishes an event when a charge takes the spend past a threshold of a cap. Without state: only the charge that crosses
 * a threshold counts, so thresholds passed earlier (in a previous run, or because the user changed the cap or the
 * thresholds) are not reported, and after a raise or in a new month they are reported again.
 */
export class CapAlerts {
  readonly #settings: Settings
  readonly #account: AccountService
  readonly #events: EventHub

  constructor(settings: Settings, account: AccountService, events: EventHub) {
    this.#settings = settings
    this.#account = account
    this.#events = events
  }

  /**
   * To be called synchronously after a charge was added to `key` and to the account, whose spend was `keyBefore` and
   * `monthBefore` before it: no other charge may come in between.
   */
  charged(key: KeyState, keyBefore: NanoUsd, monthBefore: NanoUsd): void {
    // Requests of a revoked key are rejected anyway.
    if (key.limitNano !== null && key.revokedAt === null) {
      this.#publishIfCrossed(key.id, key.name, keyBefore, key.spendNano, key.limitNano)
    }
    const { monthlyLimitNano, monthSpendNano } = this.#account
    if (monthlyLimitNano !== null) {
      this.#publishIfCrossed(null, MONTHLY_LIMIT, monthBefore, monthSpendNano, monthlyLimitNano)
    }
  }

  #publishIfCrossed(
    keyId: string | null,
    name: string,
    before: NanoUsd,
    spent: NanoUsd,
    limit: NanoUsd,
  ): void {
    const percent = crossedThreshold(this.#settings.value.notifyAtPercent, before, spent, limit)
    if (percent === null) return
    this.#events.publish('cap-alert', () => ({
      type: 'cap-alert',
      alert: { keyId, name, percent, spentUsd: nanoToUsd(spent), limitUsd: nanoToUsd(limit) },
    }))
  }
}

/**
 * The highest of `thresholds` (percent of `limit`, ascending) that spend crossed by going from `before` to `spent`; null
 * for none. A limit of zero has no thresholds: nothing can be spent under it.
 */
export function crossedThreshold(
  thresholds: readonly number[],
  before: NanoUsd,
  spent: NanoUsd,
  limit: NanoUsd,
): number | null {
  let crossed: number | null = null
  for (const threshold of thresholds) {
    const amount = (limit * threshold) / 100
    if (before < amount && spent >= amount) crossed = threshold
  }
  return crossed
}
