// Owns the window's view of the sums of the last 30 days: by day, by model and by key.
import { create } from 'zustand'
import type { Usage, UsageRow } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { lastDays } from './usage-days.ts'

export const USAGE_DAYS = 30
const DAY_MS = 86_400_000

interface UsageStore extends Loaded {
  days: UsageRow[]
  models: UsageRow[]
  keys: UsageRow[]
  total: Usage['total']
  refresh(): Promise<void>
}

export const useUsage = create<UsageStore>()((set, get) => ({
  ...notLoaded,
  days: [],
  models: [],
  keys: [],
  total: { requests: 0, tokensIn: 0, tokensOut: 0, costUsd: 0 },
  refresh: () =>
    load<UsageStore>(set, get, async () => {
      const now = Date.now()
      // A day more than is shown: the first one is cut by the hour of now, and is dropped again below.
      const from = new Date(now - USAGE_DAYS * DAY_MS).toISOString()
      const [days, models, keys] = await Promise.all([
        api('getUsage', { query: { groupBy: 'day', from } }),
        api('getUsage', { query: { groupBy: 'model', from } }),
        api('getUsage', { query: { groupBy: 'key', from } }),
      ])
      return {
        days: lastDays(days.data, now, days.timeZone, USAGE_DAYS),
        models: byCost(models.data),
        keys: byCost(keys.data),
        total: days.total,
      }
    }),
}))

function byCost(rows: readonly UsageRow[]): UsageRow[] {
  return rows.toSorted((a, b) => b.costUsd - a.costUsd || b.requests - a.requests)
}
