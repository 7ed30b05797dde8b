import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { create } from 'zustand'
import { api } from '../../api.ts'
import type { ApiError } from '../../api-error.ts'
import { useTimeZone } from '../../server-state/hooks.ts'
import { lastPeriods, type Span } from '../../server-state/periods.ts'
import { queries } from '../../server-state/queries.ts'
import { type Query, query } from '../../server-state/query-client.ts'
import { groupByPeriod, type PeriodUsage } from '../../server-state/usage-periods.ts'

export type SplitBy = 'model' | 'key'

interface SpendChoice {
  span: Span
  by: SplitBy
}

interface SpendSeries extends SpendChoice {
  /** Oldest first. */
  periods: PeriodUsage[]
}

/** The last choice, also after the view was left. */
export const useSpendChoice = create<SpendChoice>()(() => ({ span: 'day', by: 'model' }))

/**
 * Spend over time. While a new choice is read, `data` is the previous one. Days are part of the usage of the last 30 days;
 * weeks and months are one more request.
 */
export function useSpendSeries({ span, by }: SpendChoice): {
  data: SpendSeries | undefined
  error: ApiError | null
} {
  const timeZone = useTimeZone()
  const usage = useQuery(queries.usage)
  const byDay = by === 'model' ? usage.data?.byModel : usage.data?.byKey
  const days = useMemo(
    (): SpendSeries | undefined => byDay && { span: 'day', by, periods: byDay },
    [byDay, by],
  )
  const longer = useQuery({
    ...spendQuery(span, by, timeZone ?? 'UTC'),
    enabled: span !== 'day' && timeZone !== undefined,
    placeholderData: (before) => before ?? days,
  })
  const { data, error } = span === 'day' ? { data: days, error: usage.error } : longer
  return { data, error: data ? null : error }
}

function spendQuery(span: Span, by: SplitBy, timeZone: string): Query<SpendSeries> {
  return query(['spend', span, by, timeZone], async () => {
    const periods = lastPeriods(span, Date.now(), timeZone)
    const [first] = periods
    const { data } = await api('getUsage', {
      query: { groupBy: span, splitBy: by, timeZone, ...(first ? { from: first.from } : {}) },
    })
    const days = periods.map(({ day }) => day)
    return { span, by, periods: groupByPeriod(data, days) }
  })
}
