import { useMemo } from 'react'
import { formatDay } from '../../format.ts'
import type { UsageSplit } from '../../request-link.ts'
import { useUsageLabel } from '../../server-state/usage-label.ts'
import type { UsageBy } from '../../server-state/usage-table.ts'
import type { Names } from './usage-row.ts'

/** What rows and their parts are called on the screen. */
export function useNames(by: UsageBy, parts: UsageSplit): Names {
  const rowName = useUsageLabel(by === 'day' ? 'model' : by)
  const part = useUsageLabel(parts)
  return useMemo(
    () => ({
      row: by === 'day' ? (day) => `${weekday(day)} ${formatDay(day, Date.now(), 'UTC')}` : rowName,
      part,
      ordered: by === 'day',
    }),
    [by, rowName, part],
  )
}

const weekdays = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' })

function weekday(day: string): string {
  return weekdays.format(Date.parse(day))
}
