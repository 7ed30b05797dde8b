// Owns the window's view of the last 30 days: by day, cut by key, by model and by calling program. Three questions to
// the gateway; every other sum is added up from their answers.
import { create } from 'zustand'
import { systemTimeZone } from '../../shared/calendar.ts'
import type { UsageRow } from '../../shared/usage.ts'
import { api } from '../api.ts'
import { useAccount } from './account.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { lastPeriods } from './periods.ts'
import { layOut, noSums, type PeriodUsage, ranked, type Sums, summed } from './usage-periods.ts'

const LATELY_DAYS = 7
const CUTS = ['key', 'model', 'client'] as const
/** The gateway's time zone may not be known yet, and no two are further apart than this. */
const SPARE_MS = 2 * 86_400_000

interface UsageStore extends Loaded {
  /** The last 30 days, oldest first, quiet ones included. Empty until the first answer. */
  byKey: PeriodUsage[]
  byModel: PeriodUsage[]
  /** What each cost and how much it was used in those days, the most expensive first. */
  models: UsageRow[]
  keys: UsageRow[]
  clients: UsageRow[]
  /** USD of the last 7 days, today included, by key id: the pace at which caps are approached. */
  lately: ReadonlyMap<string, number>
  /** When those days began, in milliseconds since the epoch. */
  latelyFromMs: number
  today: Sums | null
  total: Sums
  refresh(): Promise<void>
}

export const useUsage = create<UsageStore>()((set, get) => ({
  ...notLoaded,
  byKey: [],
  byModel: [],
  models: [],
  keys: [],
  clients: [],
  lately: new Map(),
  latelyFromMs: 0,
  today: null,
  total: noSums,
  refresh: () => load<UsageStore>(set, get, read),
}))

async function read(): Promise<Partial<UsageStore>> {
  const now = Date.now()
  const zone = useAccount.getState().account?.timeZone ?? systemTimeZone()
  const [first] = lastPeriods('day', now, zone)
  const from = new Date((first ? Date.parse(first.from) : now) - SPARE_MS).toISOString()
  const [keys, models, clients] = await Promise.all(
    CUTS.map((splitBy) => api('getUsage', { query: { groupBy: 'day', splitBy, from } })),
  )
  if (!keys || !models || !clients) return {}
  const days = lastPeriods('day', now, keys.timeZone)
  const names = days.map(({ day }) => day)
  const byKey = layOut(keys.data, names)
  const byModel = layOut(models.data, names)
  const late = byKey.slice(-LATELY_DAYS)
  return {
    byKey,
    byModel,
    models: ranked(byModel),
    keys: ranked(byKey),
    clients: ranked(layOut(clients.data, names)),
    lately: new Map(ranked(late).map(({ group, costUsd }) => [group, costUsd])),
    latelyFromMs: Date.parse(days.at(-LATELY_DAYS)?.from ?? from),
    today: summed(byKey.slice(-1)),
    total: summed(byKey),
  }
}
