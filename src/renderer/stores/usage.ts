// Owns the window's view of the sums of the last 30 days by day, by model and by key, and of the last 7 by key.
import { create } from 'zustand'
import type { Usage, UsageRow } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { useAccount } from './account.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { lastPeriods, systemTimeZone } from './periods.ts'
import { lastDays } from './usage-days.ts'

export const USAGE_DAYS = 30
export const LATELY_DAYS = 7
const DAY_MS = 86_400_000

interface UsageStore extends Loaded {
  days: UsageRow[]
  models: UsageRow[]
  keys: UsageRow[]
  /** USD of the last 7 days by key id: the pace at which caps are approached. */
  lately: ReadonlyMap<string, number>
  total: Usage['total']
  refresh(): Promise<void>
}

export const useUsage = create<UsageStore>()((set, get) => ({
  ...notLoaded,
  days: [],
  models: [],
  keys: [],
  lately: new Map(),
  total: { requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 },
  refresh: () =>
    load<UsageStore>(set, get, async () => {
      const now = Date.now()
      // Midnight, so that these sums are those of the days shown.
      const timeZone = useAccount.getState().account?.timeZone ?? systemTimeZone()
      const [first] = lastPeriods('day', now, timeZone)
      const since = first ? { from: first.from } : {}
      const lateFrom = new Date(now - LATELY_DAYS * DAY_MS).toISOString()
      const [days, models, keys, lately] = await Promise.all([
        api('getUsage', { query: { groupBy: 'day', ...since } }),
        api('getUsage', { query: { groupBy: 'model', ...since } }),
        api('getUsage', { query: { groupBy: 'key', ...since } }),
        api('getUsage', { query: { groupBy: 'key', from: lateFrom } }),
      ])
      return {
        days: lastDays(days.data, now, days.timeZone, USAGE_DAYS),
        models: byCost(models.data),
        keys: byCost(keys.data),
        lately: new Map(lately.data.map(({ group, costUsd }) => [group, costUsd])),
        total: days.total,
      }
    }),
}))

function byCost(rows: readonly UsageRow[]): UsageRow[] {
  return rows.toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}
