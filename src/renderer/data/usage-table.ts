// Usage in a range of time as a table: a row for each key, model, provider, client or day.

import type { Usage, UsageQuery } from '../../shared/api/usage.ts'
import type { Span } from '../../shared/values/calendar.ts'
import { api } from './api.ts'
import { chooseUnit, groupByPeriod, type PeriodUsage, periodsIn } from './periods.ts'
import { type Query, query } from './query-client.ts'
import type { UsageFilter, UsageSplit } from './request-link.ts'
import { KEPT_MS } from './usage.ts'

/** Rows that have no parts. */
export const WHOLE_ROWS = ['branch', 'commit'] as const
export type UsageBy = UsageSplit | 'day' | (typeof WHOLE_ROWS)[number]

export interface UsageTableQuery {
  by: UsageBy
  /** Divides each row further. */
  parts?: UsageSplit
  span: Span
  zone: string
  filter: UsageFilter
  /** Adds what was imported from the logs of agents. */
  history?: boolean
}

export function usageTable({
  by,
  parts,
  span,
  zone,
  filter,
  history = false,
}: UsageTableQuery): Query<Usage> {
  const request: UsageQueryInput = {
    groupBy: by,
    timeZone: zone,
    ...toTimes(span),
    latency: 'true',
    ...(parts ? { splitBy: parts } : {}),
    ...(history && { history: 'true' as const }),
    ...filter,
  }
  return {
    ...query(['usage-in', 'table', request], () => api('getUsage', { query: request })),
    gcTime: KEPT_MS,
  }
}

/** What each group of a range that is over cost in USD, by its id: no live event changes it. */
export function pastCosts({ by, span, zone, filter }: UsageTableQuery): Query<ReadonlyMap<string, number>> {
  const request: UsageQueryInput = { groupBy: by, timeZone: zone, ...toTimes(span), ...filter }
  const read = async () => {
    const { data } = await api('getUsage', { query: request })
    return new Map(data.map(({ group, costUsd }) => [group, costUsd]))
  }
  return { ...query(['past-usage', 'table', request], read), gcTime: KEPT_MS }
}

/** The usage of each group in each period of the range, by the unit that fits it. */
export function usageTrends(
  split: UsageSplit,
  { span, zone, filter }: UsageTableQuery,
): Query<PeriodUsage[]> {
  const unit = chooseUnit(span)
  const request: UsageQueryInput = {
    groupBy: unit,
    splitBy: split,
    timeZone: zone,
    ...toTimes(span),
    ...filter,
  }
  const read = async () => {
    const { data } = await api('getUsage', { query: request })
    return groupByPeriod(data, periodsIn(span, unit, zone))
  }
  return { ...query(['usage-in', 'trends', request], read), gcTime: KEPT_MS }
}

/** The cost of each group in USD in each period that has begun, by the group's id. */
export function listCosts(periods: readonly PeriodUsage[]): ReadonlyMap<string, readonly number[]> {
  const begun = periods.filter(({ startMs }) => startMs <= Date.now())
  const costs = new Map<string, number[]>()
  for (const [at, { rows }] of begun.entries())
    for (const { group, costUsd } of rows) {
      const own = costs.get(group) ?? begun.map(() => 0)
      own[at] = costUsd
      costs.set(group, own)
    }
  return costs
}

function toTimes({ start, end }: Span): { from: string; to: string } {
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

type UsageQueryInput = Partial<UsageQuery>
