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
 * its cap. The lowest counts if the update has it more than once. The main limit keeps its place, because errors name limits by their
 * places.
 */
export function mergeLimits(
  current: readonly AccountSpendLimit[],
  { mainUsd, limits }: LimitUpdate,
  period: MainPeriod,
): readonly AccountSpendLimit[] {
  if (mainUsd === undefined && limits === undefined) return current
  const list = limits ?? current
  const previous = findMain(current, period)
  const mains = limits?.filter((limit) => isMain(limit, period)) ?? []
  const kept = mainUsd === undefined && mains.length === 0 ? previous?.usd : mainUsd
  const amounts = [...mains.map(({ usd }) => usd), ...(typeof kept === 'number' ? [kept] : [])]
  if (mains.length === 1 && amounts.length === 1) return list
  const others = list.filter((limit) => !isMain(limit, period))
  if (amounts.length === 0) return others
  const place = mains[0] ? list.indexOf(mains[0]) : previous ? current.indexOf(previous) : others.length
  return others.toSpliced(place, 0, { usd: Math.min(...amounts), per: period })
}
