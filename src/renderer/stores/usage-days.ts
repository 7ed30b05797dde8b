// Owns laying sums out over every day of a period, quiet days included. Knows nothing of charts.
import type { UsageRow } from '../../shared/requests.ts'
import { dayOf } from '../format.ts'

const HALF_DAY_MS = 43_200_000

/** One row for each of the last `count` calendar days in `timeZone`, oldest first, ending with the day of `nowMs`. */
export function lastDays(
  rows: readonly UsageRow[],
  nowMs: number,
  timeZone: string,
  count: number,
): UsageRow[] {
  const byDay = new Map(rows.map((row) => [row.group, row]))
  // Noon UTC of today's date, stepped by whole days: daylight saving cannot skip or repeat a date.
  const today = Date.parse(`${dayOf(nowMs, timeZone)}T00:00:00Z`) + HALF_DAY_MS
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(today - (count - 1 - index) * 2 * HALF_DAY_MS).toISOString().slice(0, 10)
    return byDay.get(day) ?? { group: day, label: day, requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 }
  })
}
