// Owns saying when a limit is reached if spending goes on as it did. Pure; a projection, never a promise.

export type Projection =
  | { state: 'reached' }
  /** Nothing was spent lately. */
  | { state: 'quiet' }
  | { state: 'reached-at'; atMs: number }
  /** Later than is worth a date. */
  | { state: 'far' }

const DAY_MS = 86_400_000
const FAR_DAYS = 365

export interface Pace {
  spentUsd: number
  limitUsd: number
  /** What was spent since `sinceMs`. */
  lastDaysUsd: number
  /** When the last seven days began, or the key did: a key of yesterday has a pace of one day, not of seven. */
  sinceMs: number
  nowMs: number
}

export function project({ spentUsd, limitUsd, lastDaysUsd, sinceMs, nowMs }: Pace): Projection {
  if (spentUsd >= limitUsd) return { state: 'reached' }
  if (lastDaysUsd <= 0) return { state: 'quiet' }
  const days = Math.max(1, (nowMs - sinceMs) / DAY_MS)
  const daysLeft = ((limitUsd - spentUsd) / lastDaysUsd) * days
  return daysLeft > FAR_DAYS ? { state: 'far' } : { state: 'reached-at', atMs: nowMs + daysLeft * DAY_MS }
}
