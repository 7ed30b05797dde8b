// Owns spend over time, cut by model or by key. Days are those of the usage store; weeks and months are one question to
// the gateway. Knows nothing of charts.
import { create } from 'zustand'
import { systemTimeZone } from '../../shared/calendar.ts'
import { api } from '../api.ts'
import { useAccount } from './account.ts'
import { type Loaded, load, notLoaded } from './loaded.ts'
import { lastPeriods, type Span } from './periods.ts'
import { useUsage } from './usage.ts'
import { layOut, type PeriodUsage } from './usage-periods.ts'

export type SplitBy = 'model' | 'key'

interface Series {
  span: Span
  /** Oldest first. */
  periods: PeriodUsage[]
}

interface SpendSeriesStore extends Loaded {
  /** What was chosen last. */
  span: Span
  by: SplitBy
  /** The newest answer: what was chosen before stays on the screen until its successor comes. */
  shown: Series | null
  choose(part: { span?: Span; by?: SplitBy }): Promise<void>
  refresh(): Promise<void>
}

export const useSpendSeries = create<SpendSeriesStore>()((set, get) => ({
  ...notLoaded,
  span: 'day',
  by: 'model',
  shown: null,
  async choose(part) {
    set(part)
    await get().refresh()
  },
  refresh: () =>
    load<SpendSeriesStore>(set, get, async () => {
      const { span, by } = get()
      const periods = span === 'day' ? days(by) : await longer(span, by)
      // Another choice was made meanwhile: its own answer is on the way.
      return get().span === span && get().by === by && periods ? { shown: { span, periods } } : {}
    }),
}))

/** Null while the sums are on their way. */
function days(by: SplitBy): PeriodUsage[] | null {
  const { state, error, byModel, byKey } = useUsage.getState()
  if (state === 'failed') throw error
  if (state === 'first') return null
  return by === 'model' ? byModel : byKey
}

async function longer(span: Span, splitBy: SplitBy): Promise<PeriodUsage[]> {
  const now = Date.now()
  const timeZone = useAccount.getState().account?.timeZone ?? systemTimeZone()
  const periods = lastPeriods(span, now, timeZone)
  const [first] = periods
  const { data } = await api('getUsage', {
    query: { groupBy: span, splitBy, timeZone, ...(first ? { from: first.from } : {}) },
  })
  return layOut(
    data,
    periods.map(({ day }) => day),
  )
}
