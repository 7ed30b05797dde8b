import { useMemo } from 'react'
import type { DateRange } from '../../data/date-range.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import type { UsageBy } from '../../data/usage-table.ts'
import { useSessionNames } from '../../data/use-session-name.ts'
import { formatDay } from '../../kit/format.ts'
import type { UsageAddress } from './usage-address.ts'
import type { NameOf, Names } from './usage-row.ts'

/** The names of rows and their parts on the screen. */
export function useNames({ by, parts, filter }: UsageAddress, range: DateRange): Names {
  const rowName = useUsageLabel(by === 'day' ? 'model' : by)
  const partName = useUsageLabel(parts)
  const sessionName = useSessionNames({ range, filter, enabled: by === 'session' || parts === 'session' })
  return useMemo(() => {
    const withSessions = (split: UsageBy, getName: NameOf): NameOf =>
      split === 'session' ? (id, label) => sessionName(id) ?? getName(id, label) : getName
    return {
      row:
        by === 'day'
          ? (day) => `${weekday(day)} ${formatDay(day, Date.now(), 'UTC')}`
          : withSessions(by, rowName),
      part: withSessions(parts, partName),
      ordered: by === 'day',
    }
  }, [by, parts, rowName, partName, sessionName])
}

const weekdays = new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' })

function weekday(day: string): string {
  return weekdays.format(Date.parse(day))
}
