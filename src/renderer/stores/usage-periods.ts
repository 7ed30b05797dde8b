// Owns laying split sums out over periods, quiet ones included, and adding them up again. Pure; knows nothing of charts.
import type { Usage, UsageRow } from '../../shared/usage.ts'

export interface PeriodUsage {
  /** The period's first calendar day, YYYY-MM-DD. */
  day: string
  /** What each key, model or client of the split took of the period. */
  rows: UsageRow[]
}

export type Sums = Usage['total']

export const noSums: Sums = { requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 }

/** The rows of an answer with `splitBy`, by their periods. Rows of other periods than `days` are left out. */
export function layOut(rows: readonly UsageRow[], days: readonly string[]): PeriodUsage[] {
  const periods = new Map(days.map((day) => [day, [] as UsageRow[]]))
  for (const { group, label, split = group, splitLabel = label, ...sums } of rows) {
    periods.get(group)?.push({ group: split, label: splitLabel, ...sums })
  }
  return [...periods].map(([day, shares]) => ({ day, rows: shares }))
}

/** One row for each part of the split over all the periods, what cost most first. */
export function ranked(periods: readonly PeriodUsage[]): UsageRow[] {
  const parts = new Map<string, UsageRow>()
  for (const row of periods.flatMap(({ rows }) => rows)) {
    const before = parts.get(row.group)
    parts.set(row.group, before ? { ...before, ...added(before, row) } : row)
  }
  return [...parts.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}

export function summed(periods: readonly PeriodUsage[]): Sums {
  return periods.flatMap(({ rows }) => rows).reduce<Sums>(added, noSums)
}

function added(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    costUsd: a.costUsd + b.costUsd,
  }
}
