import type { Usage, UsageRow } from '../../shared/api/usage.ts'
import type { Period } from './periods.ts'

export interface PeriodUsage extends Period {
  /** One for each key, model, provider or client of the split that was used in the period. */
  rows: UsageRow[]
}

/** Without percentiles, which cannot be added up. */
export type UsageSums = Omit<Usage['total'], 'latencyP50Ms' | 'latencyP95Ms' | 'firstByteP50Ms'>

export const noUsage: UsageSums = {
  requests: 0,
  tokensIn: 0,
  tokensOut: 0,
  tokensCached: 0,
  costUsd: 0,
  worthUsd: 0,
  savedUsd: 0,
  errors: 0,
  unpriced: 0,
}

/** The rows of a response with `splitBy`, by period. Each period is listed, empty or not; rows of others are left out. */
export function groupByPeriod(rows: readonly UsageRow[], periods: readonly Period[]): PeriodUsage[] {
  const parts = new Map(periods.map(({ group }) => [group, [] as UsageRow[]]))
  for (const { group, label, split = group, splitLabel = label, ...sums } of rows) {
    parts.get(group)?.push({ group: split, label: splitLabel, ...sums })
  }
  return periods.map((period) => ({ ...period, rows: parts.get(period.group) ?? [] }))
}

/** One row for each part of the split over all periods, the most expensive first. */
export function rankByCost(periods: readonly PeriodUsage[]): UsageRow[] {
  const parts = new Map<string, UsageRow>()
  for (const row of periods.flatMap(({ rows }) => rows)) {
    const before = parts.get(row.group)
    parts.set(row.group, before ? { ...before, ...addSums(before, row) } : row)
  }
  return [...parts.values()].toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}

export function sumUsage(periods: readonly PeriodUsage[]): UsageSums {
  return periods.flatMap(({ rows }) => rows).reduce<UsageSums>(addSums, noUsage)
}

export function addSums(a: UsageSums, b: UsageSums): UsageSums {
  return {
    requests: a.requests + b.requests,
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    tokensCached: a.tokensCached + b.tokensCached,
    costUsd: a.costUsd + b.costUsd,
    worthUsd: a.worthUsd + b.worthUsd,
    savedUsd: a.savedUsd + b.savedUsd,
    errors: a.errors + b.errors,
    unpriced: a.unpriced + b.unpriced,
  }
}
