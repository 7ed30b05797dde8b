// Owns spend over time, split by model or by key: one question to the gateway per period, as a sum has one grouping.
// Periods that are over are asked for once. Knows nothing of charts.
import { create } from 'zustand'
import type { UsageRow } from '../../shared/requests.ts'
import { api } from '../api.ts'
import { useAccount } from './account.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { lastPeriods, type Period, type Span, systemTimeZone } from './periods.ts'

export type SplitBy = 'model' | 'key'

export interface PeriodSpend extends Period {
  rows: UsageRow[]
}

interface SpendSeriesStore extends Loaded {
  span: Span
  by: SplitBy
  /** Oldest first. Empty until the first answer. */
  periods: PeriodSpend[]
  choose(part: { span?: Span; by?: SplitBy }): Promise<void>
  refresh(): Promise<void>
  /** Forgets what is over: after a gap, the gateway may be another, or have settled what a crash left open. */
  forget(): void
}

/** A request belongs to the period in which it began, and may end a while after it. */
const SETTLED_AFTER_MS = 3_600_000
const over = new Map<string, UsageRow[]>()

export const useSpendSeries = create<SpendSeriesStore>()((set, get) => ({
  ...notLoaded,
  span: 'day',
  by: 'model',
  periods: [],
  async choose(part) {
    set(part)
    await get().refresh()
  },
  refresh: () =>
    load<SpendSeriesStore>(set, get, async () => {
      const { span, by } = get()
      const now = Date.now()
      const timeZone = useAccount.getState().account?.timeZone ?? systemTimeZone()
      const periods = await Promise.all(
        lastPeriods(span, now, timeZone).map(async (period) => ({
          ...period,
          rows: await rowsOf(period, by, now),
        })),
      )
      // Another choice was made meanwhile: its own answer is on the way.
      return get().span === span && get().by === by ? { periods } : {}
    }),
  forget: () => over.clear(),
}))

async function rowsOf({ from, to }: Period, groupBy: SplitBy, now: number): Promise<UsageRow[]> {
  const name = `${groupBy} ${from} ${to}`
  const known = over.get(name)
  if (known) return known
  const { data } = await api('getUsage', { query: { groupBy, from, to } })
  if (Date.parse(to) + SETTLED_AFTER_MS < now) over.set(name, data)
  return data
}
