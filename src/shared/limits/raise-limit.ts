// The buttons of an alert that raise the limit that has stopped a key.
import type { Account, AccountUpdate } from '../api/account.ts'
import type { KeyMetadata, KeyUpdate } from '../api/keys.ts'
import type { AccountSpendLimitState } from '../api/spend-limits.ts'
import { isSameLimit, isUsedUp, type Limit, limitsOfAccount, limitsOfKey, withoutState } from './limits.ts'

/** The amount that the buttons add to a limit. */
export const RAISE_USD = 5

export interface Raise {
  key: KeyUpdate | null
  account: AccountUpdate | null
}

/** The limits that refuse requests of a key now: its own, and those of the account that its requests count for. */
export function limitsThatStop(key: KeyMetadata, account: Account | null): Limit[] {
  const shared = account === null ? [] : limitsOfAccount(account)
  const counting = shared.filter(({ kind }) => kind?.tag === undefined || kind.tag === key.tag)
  return [...limitsOfKey(key), ...counting].filter(isUsedUp)
}

/** The amount that leaves `RAISE_USD` more to spend, in whole cents. */
export function raisedUsd({ limitUsd, spentUsd }: Pick<Limit, 'limitUsd' | 'spentUsd'>): number {
  return Math.round((Math.max(limitUsd, spentUsd) + RAISE_USD) * 100) / 100
}

/** The updates that raise these limits. Null for what has none of them. */
export function computeRaise(
  limits: readonly Limit[],
  key: KeyMetadata | null,
  account: Account | null,
): Raise {
  const ofKey = limits.filter(({ keyId }) => keyId !== null && keyId === key?.id)
  const ofAccount = limits.filter(({ keyId }) => keyId === null)
  const cap = ofKey.find(({ kind }) => kind === null)
  const month = ofAccount.find(({ kind }) => kind === null)
  const keyList = key && raiseListed(key.spendLimits, ofKey)
  const accountList = account && raiseListed(account.spendLimits, ofAccount)
  return {
    key: orNull({
      ...(cap ? { spendLimitUsd: raisedUsd(cap) } : {}),
      ...(keyList ? { spendLimits: keyList } : {}),
    }),
    account: orNull({
      ...(month ? { monthlyLimitUsd: raisedUsd(month) } : {}),
      ...(accountList ? { spendLimits: accountList } : {}),
    }),
  }
}

/** The list with these limits raised, each at its place; null if none of them is in it. */
function raiseListed(list: readonly AccountSpendLimitState[], raised: readonly Limit[]) {
  const find = (listed: AccountSpendLimitState) =>
    raised.find(({ kind }) => kind !== null && isSameLimit(kind, listed))
  if (!list.some(find)) return null
  return list.map((listed) => {
    const limit = find(listed)
    return { ...withoutState(listed), ...(limit ? { usd: raisedUsd(limit) } : {}) }
  })
}

function orNull<T extends object>(update: T): T | null {
  return Object.keys(update).length === 0 ? null : update
}
