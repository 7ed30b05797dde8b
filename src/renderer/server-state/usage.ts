// Usage of the last 30 days by day, split by key, model and client. Three requests; all other sums are computed from their
// responses.
import { systemTimeZone } from '../../shared/calendar.ts'
import type { UsageRow } from '../../shared/usage.ts'
import { api } from '../api.ts'
import { lastPeriods } from './periods.ts'
import {
  groupByPeriod,
  noUsage,
  type PeriodUsage,
  rankByCost,
  sumUsage,
  type UsageSums,
} from './usage-periods.ts'

const RECENT_DAYS = 7
/** The gateway's time zone may not be known yet, and no two are further apart than this. */
const SPARE_MS = 2 * 86_400_000

export interface Usage {
  /** The last 30 days, oldest first, days without requests included. */
  byKey: PeriodUsage[]
  byModel: PeriodUsage[]
  /** What each cost and how much it was used in those days, the most expensive first. */
  models: UsageRow[]
  keys: UsageRow[]
  clients: UsageRow[]
  /** USD of the last 7 days, today included, by key id: the rate at which caps are approached. */
  recentUsdByKey: ReadonlyMap<string, number>
  /** When those days began, in milliseconds since the epoch. */
  recentFromMs: number
  today: UsageSums
  total: UsageSums
}

/** Usage before it has been read. */
export const emptyUsage: Usage = {
  byKey: [],
  byModel: [],
  models: [],
  keys: [],
  clients: [],
  recentUsdByKey: new Map(),
  recentFromMs: 0,
  today: noUsage,
  total: noUsage,
}

/** `timeZone`: the account's, as far as it is known. */
export async function readUsage(timeZone = systemTimeZone()): Promise<Usage> {
  const now = Date.now()
  const [first] = lastPeriods('day', now, timeZone)
  const from = new Date((first ? Date.parse(first.from) : now) - SPARE_MS).toISOString()
  const [keys, models, clients] = await Promise.all([
    api('getUsage', { query: { groupBy: 'day', splitBy: 'key', from } }),
    api('getUsage', { query: { groupBy: 'day', splitBy: 'model', from } }),
    api('getUsage', { query: { groupBy: 'day', splitBy: 'client', from } }),
  ])
  const days = lastPeriods('day', now, keys.timeZone)
  const names = days.map(({ day }) => day)
  const byKey = groupByPeriod(keys.data, names)
  const byModel = groupByPeriod(models.data, names)
  const recent = byKey.slice(-RECENT_DAYS)
  return {
    byKey,
    byModel,
    models: rankByCost(byModel),
    keys: rankByCost(byKey),
    clients: rankByCost(groupByPeriod(clients.data, names)),
    recentUsdByKey: new Map(rankByCost(recent).map(({ group, costUsd }) => [group, costUsd])),
    recentFromMs: Date.parse(days.at(-RECENT_DAYS)?.from ?? from),
    today: sumUsage(byKey.slice(-1)),
    total: sumUsage(byKey),
  }
}
