// `spendLimitUsd` of a key and `monthlyLimitUsd` of the account: short names of one limit among all, translated here and nowhere else.
import type { AccountSpendLimit, LimitKind } from './spend-limits.ts'
import { isMain, type MainPeriod } from './terms.ts'

/** The limit that has a short name; null for none. */
export function findMain<T extends LimitKind>(limits: readonly T[], period: MainPeriod): T | null {
  return limits.find((limit) => isMain(limit, period)) ?? null
}

/** The limits of an update. What is undefined stays as it is. */
interface LimitUpdate {
  /** Null removes the main limit. */
  mainUsd?: number | null | undefined
  limits?: readonly AccountSpendLimit[] | undefined
}

/**
 * The limits after an update. A list without the main limit keeps it, so that writing the other limits of a key does not remove
 * its cap. The main limit keeps its place, because errors name limits by their places.
 */
export function mergeLimits(
  current: readonly AccountSpendLimit[],
  { mainUsd, limits = current }: LimitUpdate,
  period: MainPeriod,
): readonly AccountSpendLimit[] {
  const previous = findMain(current, period)
  const usd = mainUsd === undefined ? previous?.usd : mainUsd
  const mains = limits.filter((limit) => isMain(limit, period))
  const others = limits.filter((limit) => !mains.includes(limit))
  if (usd === null) return others
  // The lowest of several stops requests first.
  const listedUsd = mains.length === 0 ? undefined : Math.min(...mains.map((limit) => limit.usd))
  const mergedUsd = mainUsd ?? listedUsd ?? usd
  if (mergedUsd === undefined || (mains.length === 1 && mergedUsd === listedUsd)) return limits
  const place = mains[0] ? limits.indexOf(mains[0]) : previous ? current.indexOf(previous) : limits.length
  return others.toSpliced(place, 0, { usd: mergedUsd, per: period })
}
