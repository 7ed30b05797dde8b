// Owns when a charge has brought spend to a share of a cap that its user wants to hear of. Remembers nothing: a share is
// reached when one charge takes the spend from below it to it, so whatever was passed before (at the last run, or
// because the user moved the cap or the shares) is no news, and what lies ahead again after a raise or a new month is.
import { type NanoUsd, nanoToUsd } from '../../shared/money.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { EventHub } from '../platform/events.ts'
import type { Settings } from '../settings/settings.ts'
import type { AccountService } from './account.ts'

const MONTHLY_LIMIT = 'Monthly limit'

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
   * A charge was added to `key` and to the account, whose spend was `keyBefore` and `monthBefore` until then. To be called
   * in the same turn of the event loop: between the charge and this call no other may come.
   */
  charged(key: KeyState, keyBefore: NanoUsd, monthBefore: NanoUsd): void {
    // Nothing can be refused any more to a key that is revoked.
    if (key.limitNano !== null && key.revokedAt === null) {
      this.#tell(key.id, key.name, keyBefore, key.spendNano, key.limitNano)
    }
    const { monthlyLimitNano, monthSpendNano } = this.#account
    if (monthlyLimitNano !== null) {
      this.#tell(null, MONTHLY_LIMIT, monthBefore, monthSpendNano, monthlyLimitNano)
    }
  }

  #tell(keyId: string | null, name: string, before: NanoUsd, spent: NanoUsd, limit: NanoUsd): void {
    const percent = shareReached(this.#settings.value.notifyAtPercent, before, spent, limit)
    if (percent === null) return
    this.#events.publish(() => ({
      type: 'cap-alert',
      alert: { keyId, name, percent, spentUsd: nanoToUsd(spent), limitUsd: nanoToUsd(limit) },
    }))
  }
}

/**
 * The highest of `shares` (percent of `limit`, ascending) that spend has come to by going from `before` to `spent`; null
 * for none. A limit of zero has no shares: nothing can be spent under it.
 */
export function shareReached(
  shares: readonly number[],
  before: NanoUsd,
  spent: NanoUsd,
  limit: NanoUsd,
): number | null {
  let reached: number | null = null
  for (const share of shares) {
    const mark = (limit * share) / 100
    if (before < mark && spent >= mark) reached = share
  }
  return reached
}
