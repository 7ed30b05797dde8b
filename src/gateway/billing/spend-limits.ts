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

/** The two spend limits, a key's cap and the account's monthly limit, and what is spent and reserved under both. */
export class SpendLimits {
  readonly account: AccountService

  constructor(account: AccountService) {
    this.account = account
  }

  /** The limit that is used up by what is charged and `consumed`; null when neither is. */
  reached(key: KeyState, consumed: NanoUsd = ZERO_USD): LimitReached | null {
    if (key.limitNano !== null && key.spendNano + consumed >= key.limitNano) return keyLimitReached(key)
    const { account } = this
    const { monthlyLimitNano } = account
    if (monthlyLimitNano !== null && account.monthSpendNano + consumed >= monthlyLimitNano) {
      return accountLimitReached(account)
    }
    return null
  }

  /** What both limits leave beside all that is spent and reserved; Infinity without a limit. */
  left(key: KeyState): number {
    return Math.min(leftOfKey(key), this.#leftOfMonth())
  }

  /** Why a stream of this key is cut: the limit that leaves less. */
  cut(key: KeyState): LimitReached {
    return this.#leftOfMonth() < leftOfKey(key) ? streamCutByAccount(this.account) : streamCutByKey(key)
  }

  /** Whether what a request of `other` releases is available to `key`. */
  sharesLimit(other: KeyState, key: KeyState): boolean {
    return (key.limitNano !== null && other === key) || this.account.monthlyLimitNano !== null
  }

  /** Whether `sharesLimit` is true of any of these keys. */
  sharesLimitWith(others: ReadonlySet<KeyState>, key: KeyState): boolean {
    return (
      (key.limitNano !== null && others.has(key)) ||
      (this.account.monthlyLimitNano !== null && others.size > 0)
    )
  }

  /** Reserves more, or less where the difference is negative. */
  reserve(key: KeyState, difference: NanoUsd): void {
    // Compute both sums first: if one overflows, neither may change.
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
