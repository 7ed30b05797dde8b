// The two limits on spending, a key's cap and the account's month, and what is spent and reserved under both.
import { addUsd, type NanoUsd, ZERO_USD } from '../../shared/money.ts'
import type { KeyState } from '../keys/api-keys.ts'
import type { AccountService } from './account.ts'
import {
  accountLimitReached,
  keyLimitReached,
  type LimitReached,
  streamCutByAccount,
  streamCutByKey,
} from './budget-errors.ts'

export class SpendLimits {
  readonly account: AccountService

  constructor(account: AccountService) {
    this.account = account
  }

  /** The limit that is spent, with `consumed` on top of what is charged; null when none is. */
  reached(key: KeyState, consumed: NanoUsd = ZERO_USD): LimitReached | null {
    if (key.limitNano !== null && key.spendNano + consumed >= key.limitNano) return keyLimitReached(key)
    const { account } = this
    const { monthlyLimitNano } = account
    if (monthlyLimitNano !== null && account.monthSpendNano + consumed >= monthlyLimitNano) {
      return accountLimitReached(account)
    }
    return null
  }

  /** What is left of both limits besides all that is spent and reserved; Infinity without a limit. */
  left(key: KeyState): number {
    return Math.min(leftOfKey(key), this.#leftOfMonth())
  }

  /** Why a stream of this key is cut: by the limit that has less left. */
  cut(key: KeyState): LimitReached {
    return this.#leftOfMonth() < leftOfKey(key) ? streamCutByAccount(this.account) : streamCutByKey(key)
  }

  /** Whether what another key's request gives back can make room for this key. */
  share(other: KeyState, key: KeyState): boolean {
    return (key.limitNano !== null && other === key) || this.account.monthlyLimitNano !== null
  }

  /** Reserves more, or less where the difference is negative. */
  reserve(key: KeyState, difference: NanoUsd): void {
    // Both sums first: neither may move without the other.
    const ofKey = addUsd(key.reservedNano, difference)
    const ofAccount = addUsd(this.account.reservedNano, difference)
    key.reservedNano = ofKey
    this.account.reservedNano = ofAccount
  }

  #leftOfMonth(): number {
    const { account } = this
    const { monthlyLimitNano } = account
    return monthlyLimitNano === null
      ? Infinity
      : monthlyLimitNano - account.monthSpendNano - account.reservedNano
  }
}

function leftOfKey({ limitNano, spendNano, reservedNano }: KeyState): number {
  return limitNano === null ? Infinity : limitNano - spendNano - reservedNano
}
