import { DateRangePicker } from '../../components/date-range-picker.tsx'
import { LAST_30_DAYS } from '../../server-state/date-range.ts'
import { useDateRange } from '../../server-state/use-date-range.ts'

/** The range of the address. */
export function OverviewRangePicker() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  return <DateRangePicker range={range} onChange={setRange} />
}
