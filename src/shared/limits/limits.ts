// Every spend limit of a key or of the account as one kind of thing, and which of them is nearest.
import type { Account } from '../api/account.ts'
import type { KeyMetadata } from '../api/keys.ts'
import type { AccountSpendLimit, AccountSpendLimitState } from '../api/spend-limits.ts'
import { CAP_WARN_FRACTION } from './cap-alert.ts'

/** The identity of a limit among those of a key or of the account: all but its amount and action. */
export type LimitKind = Pick<AccountSpendLimit, 'per' | 'window' | 'model' | 'tag'>

export interface Limit {
  /** Null for a limit of the account. */
  keyId: string | null
  /** Null for the lifetime cap of a key, and the monthly limit of the account. */
  kind: LimitKind | null
  /** Its place in `spendLimits`; null like `kind`. */
  index: number | null
  limitUsd: number
  spentUsd: number
  reservedUsd: number
  /** Null if there is no moment at which it resets. */
  resetsAt: string | null
  warnsOnly: boolean
}

/** The identity of a limit, from all that is known of it. */
export function toKind({ per, window, model, tag }: LimitKind): LimitKind {
  return {
    per,
    ...(window === undefined ? {} : { window }),
    ...(model === undefined ? {} : { model }),
    ...(tag === undefined ? {} : { tag }),
  }
}

export function isSameLimit(a: LimitKind, b: LimitKind): boolean {
  const isSamePeriod = a.per === b.per && (a.window === 'rolling') === (b.window === 'rolling')
  return isSamePeriod && a.model === b.model && a.tag === b.tag
}

/** The limit in the form that is sent to the gateway. */
export function withoutState(state: AccountSpendLimitState): AccountSpendLimit {
  const { spentUsd: _spent, reservedUsd: _reserved, resetsAt: _resets, ...limit } = state
  return limit
}

/** Its cap and its further limits. */
export function limitsOfKey(key: KeyMetadata): Limit[] {
  const { id: keyId, spendLimitUsd: limitUsd, spendUsd: spentUsd, reservedUsd, spendLimits } = key
  const cap = { keyId, kind: null, index: null, spentUsd, reservedUsd, resetsAt: null, warnsOnly: false }
  return [
    ...(limitUsd === null ? [] : [{ ...cap, limitUsd }]),
    ...spendLimits.map((listed, index) => toLimit(keyId, listed, index)),
  ]
}

/** The monthly limit and the further ones. */
export function limitsOfAccount(account: Account): Limit[] {
  const { monthlyLimitUsd: limitUsd, monthSpendUsd: spentUsd, reservedUsd, spendLimits } = account
  const amounts = { spentUsd, reservedUsd, resetsAt: account.monthResetsAt }
  const month = { keyId: null, kind: null, index: null, ...amounts, warnsOnly: false }
  return [
    ...(limitUsd === null ? [] : [{ ...month, limitUsd }]),
    ...spendLimits.map((listed, index) => toLimit(null, listed, index)),
  ]
}

function toLimit(keyId: string | null, listed: AccountSpendLimitState, index: number): Limit {
  const { usd: limitUsd, spentUsd, reservedUsd, resetsAt, action } = listed
  const amounts = { limitUsd, spentUsd, reservedUsd, resetsAt }
  return { keyId, kind: toKind(listed), index, ...amounts, warnsOnly: action === 'warn' }
}

/** The limit of which the largest part is used; of two that are nearly used up, the one that stops requests. Null for none. */
export function nearestLimit(limits: readonly Limit[]): Limit | null {
  return limits.toSorted(byNearness)[0] ?? null
}

/** The limit to show first of all keys: the monthly one, unless another is nearly used up. */
export function headlineLimit(account: Account): Limit | null {
  const limits = limitsOfAccount(account)
  const first = limits.filter((limit) => limit.kind === null || usedPart(limit) >= CAP_WARN_FRACTION)
  return nearestLimit(first) ?? nearestLimit(limits)
}

/** Orders limits: the nearest first. */
export function byNearness(a: Limit, b: Limit): number {
  const order = nearness(b) - nearness(a)
  return Number.isNaN(order) ? 0 : order
}

/** A limit of zero is used up from the start. */
export function usedPart({ spentUsd, limitUsd }: Pick<Limit, 'spentUsd' | 'limitUsd'>): number {
  return limitUsd === 0 ? Number.POSITIVE_INFINITY : spentUsd / limitUsd
}

function nearness(limit: Limit): number {
  const part = usedPart(limit)
  // One that only warns hides none that is about to stop requests.
  return limit.warnsOnly ? Math.min(part, CAP_WARN_FRACTION) : part
}

/** Whether it refuses requests. */
export function isUsedUp({ warnsOnly, spentUsd, limitUsd }: Limit): boolean {
  return !warnsOnly && spentUsd >= limitUsd
}
