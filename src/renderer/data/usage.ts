// Usage in a range of time, divided into periods, and each split by key, model and client. Three requests; all other sums are
// computed from their responses.

import type { UsageQuery, UsageRow } from '../../shared/api/usage.ts'
import { type Span, systemTimeZone } from '../../shared/values/calendar.ts'
import { api } from './api.ts'
import { LAST_30_DAYS, resolveRange } from './date-range.ts'
import {
  groupByPeriod,
  noUsage,
  type PeriodUsage,
  periodsIn,
  rankByCost,
  sumUsage,
  type Unit,
  type UsageSums,
} from './periods.ts'
import { type Query, query } from './query-client.ts'
import type { UsageSplit } from './request-link.ts'

const RECENT_DAYS = 7
/** The gateway's time zone may not be known yet, and no two are further apart than this. */
const SPARE_MS = 2 * 86_400_000
/** Usage of ranges that are not shown any more is kept that long. */
export const KEPT_MS = 5 * 60_000

export interface Usage {
  /** Oldest first, periods without requests included. */
  byKey: PeriodUsage[]
  byModel: PeriodUsage[]
  byClient: PeriodUsage[]
  /** The cost and use of each model in all periods, the most expensive first. */
  models: UsageRow[]
  keys: UsageRow[]
  clients: UsageRow[]
  total: UsageSums
}

/** The usage of the last 30 days, by day. */
export interface RecentUsage extends Usage {
  /** USD of the last 7 days, today included, by key id: the rate at which caps are approached. */
  recentUsdByKey: ReadonlyMap<string, number>
  /** When those days began, in milliseconds since the epoch. */
  recentFromMs: number
  today: UsageSums
}

/** The spend of all keys in the last 7 days. */
export function sumRecent({ recentUsdByKey }: RecentUsage): number {
  return [...recentUsdByKey.values()].reduce((sum, usd) => sum + usd, 0)
}

/** Usage before it has been read. */
export const emptyUsage: RecentUsage = {
  byKey: [],
  byModel: [],
  byClient: [],
  models: [],
  keys: [],
  clients: [],
  recentUsdByKey: new Map(),
  recentFromMs: 0,
  today: noUsage,
  total: noUsage,
}

/** `timeZone`: the account's, as far as it is known. */
export async function readRecentUsage(timeZone = systemTimeZone()): Promise<RecentUsage> {
  const now = Date.now()
  const from = toTimestamp(resolveRange(LAST_30_DAYS, now, timeZone).start - SPARE_MS)
  const splits = await readSplits({ groupBy: 'day', from })
  // The gateway knows the time zone.
  const zone = splits[0].timeZone
  const usage = summarize(splits, resolveRange(LAST_30_DAYS, now, zone), 'day', zone)
  const recent = usage.byKey.slice(-RECENT_DAYS)
  return {
    ...usage,
    recentUsdByKey: new Map(rankByCost(recent).map(({ group, costUsd }) => [group, costUsd])),
    recentFromMs: recent[0]?.startMs ?? Date.parse(from),
    today: sumUsage(usage.byKey.slice(-1)),
  }
}

export interface UsageScope {
  span: Span
  unit: Unit
  zone: string
}

export function usageIn(scope: UsageScope): Query<Usage> {
  return rangeQuery('all', scope, async () => {
    const splits = await readSplits(toQuery(scope))
    return summarize(splits, scope.span, scope.unit, scope.zone)
  })
}

export function splitUsageIn(splitBy: UsageSplit, scope: UsageScope): Query<PeriodUsage[]> {
  return rangeQuery(splitBy, scope, async () => {
    const { data } = await api('getUsage', { query: { ...toQuery(scope), splitBy } })
    return groupByPeriod(data, periodsIn(scope.span, scope.unit, scope.zone))
  })
}

/** Percentiles of the durations: one row for each period with requests, and those of the range. */
export function latencyIn(scope: UsageScope): Query<{ periods: PeriodUsage[]; total: UsagePercentiles }> {
  return rangeQuery('latency', scope, async () => {
    const { data, total } = await api('getUsage', { query: { ...toQuery(scope), latency: 'true' } })
    return { periods: groupByPeriod(data, periodsIn(scope.span, scope.unit, scope.zone)), total }
  })
}

/** The totals of the month that began at `from`. */
export function monthTotals(from: string, timeZone: string): Query<UsageSums> {
  return query(['usage-in', 'month-totals', from], async () => {
    const { total } = await api('getUsage', { query: { groupBy: 'month', from, timeZone } })
    return total
  })
}

/** The sums of a range that is over, by its unit and in all: no live event changes them. */
export function pastUsageIn(scope: UsageScope): Query<{ periods: PeriodUsage[]; total: UsageSums }> {
  const { span, unit, zone } = scope
  const key = ['past-usage', unit, zone, span.start, span.end]
  const read = async () => {
    const { data, total } = await api('getUsage', { query: toQuery(scope) })
    return { periods: groupByPeriod(data, periodsIn(span, unit, zone)), total }
  }
  return { ...query(key, read), gcTime: KEPT_MS }
}

export type UsagePercentiles = Pick<UsageRow, 'latencyP50Ms' | 'latencyP95Ms'>

/** The key begins with `usage-in`, by which live events refresh what is shown. */
function rangeQuery<T>(name: string, { span, unit, zone }: UsageScope, read: () => Promise<T>): Query<T> {
  return { ...query(['usage-in', name, unit, zone, span.start, span.end], read), gcTime: KEPT_MS }
}

function toQuery({ span, unit, zone }: UsageScope): Partial<UsageQuery> {
  return { groupBy: unit, timeZone: zone, from: toTimestamp(span.start), to: toTimestamp(span.end) }
}

function readSplits(range: Partial<UsageQuery>) {
  return Promise.all([
    api('getUsage', { query: { ...range, splitBy: 'key' } }),
    api('getUsage', { query: { ...range, splitBy: 'model' } }),
    api('getUsage', { query: { ...range, splitBy: 'client' } }),
  ])
}

function summarize(
  splits: Awaited<ReturnType<typeof readSplits>>,
  span: Span,
  unit: Unit,
  zone: string,
): Usage {
  const [keys, models, clients] = splits
  const periods = periodsIn(span, unit, zone)
  const byKey = groupByPeriod(keys.data, periods)
  const byModel = groupByPeriod(models.data, periods)
  const byClient = groupByPeriod(clients.data, periods)
  return {
    byKey,
    byModel,
    byClient,
    models: rankByCost(byModel),
    keys: rankByCost(byKey),
    clients: rankByCost(byClient),
    total: sumUsage(byKey),
  }
}

function toTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}
