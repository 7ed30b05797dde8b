// When a limit is reached, and what a month will cost, if spending continues at its present rate.
type Projection =
  | { state: 'reached' }
  /** Nothing was spent in the last days. */
  | { state: 'no-spend' }
  | { state: 'reached-at'; atMs: number }
  /** Too far away for a day: a week says little about it. */
  | { state: 'lasts'; months: number }
  /** More than a year away. */
  | { state: 'far' }

const DAY_MS = 86_400_000
const FAR_DAYS = 365
const NEAR_DAYS = 90
const MONTH_DAYS = FAR_DAYS / 12

export interface SpendRate {
  spentUsd: number
  limitUsd: number
  /** The spend since `sinceMs`. */
  recentUsd: number
  /** The start of the last seven days, or when the key was created if that is later. */
  sinceMs: number
  nowMs: number
}

/** When a limit is reached if spending continues at the same rate. */
export function project({ spentUsd, limitUsd, recentUsd, sinceMs, nowMs }: SpendRate): Projection {
  if (spentUsd >= limitUsd) return { state: 'reached' }
  if (recentUsd <= 0) return { state: 'no-spend' }
  const days = Math.max(1, (nowMs - sinceMs) / DAY_MS)
  const daysLeft = ((limitUsd - spentUsd) / recentUsd) * days
  if (daysLeft > FAR_DAYS) return { state: 'far' }
  if (daysLeft > NEAR_DAYS) return { state: 'lasts', months: Math.floor(daysLeft / MONTH_DAYS) }
  return { state: 'reached-at', atMs: nowMs + daysLeft * DAY_MS }
}

/** The spend by the end of a month if spending continues at the rate of the last days. */
export function forecast({
  spentUsd,
  recentUsd,
  sinceMs,
  nowMs,
  endMs,
}: Omit<SpendRate, 'limitUsd'> & { endMs: number }) {
  const days = Math.max(1, (nowMs - sinceMs) / DAY_MS)
  return spentUsd + (recentUsd / days) * Math.max(0, (endMs - nowMs) / DAY_MS)
}
