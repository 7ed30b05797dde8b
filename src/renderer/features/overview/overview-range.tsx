import { LAST_30_DAYS } from '../../data/date-range.ts'
import { useDateRange } from '../../data/use-date-range.ts'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'

/** The range of the address. */
export function OverviewRangePicker() {
  const [range, setRange] = useDateRange(LAST_30_DAYS)
  return <DateRangePicker range={range} onChange={setRange} />
}
