import type { Period, Unit } from '../../data/periods.ts'
import { AxisLabel, type ChartArea } from '../../kit/chart-frame.tsx'
import { formatPeriodShort, isLabeled } from './period-name.ts'

/** Pixels for each label under the columns. */
const LABEL_WIDTH = 68

interface PeriodAxisProps {
  area: ChartArea
  periods: readonly Period[]
  unit: Unit
  zone: string
}

export function PeriodAxis({ area, periods, unit, zone }: PeriodAxisProps) {
  const slot = area.width / periods.length
  const step = Math.max(1, Math.ceil(LABEL_WIDTH / slot))
  const rightmost = area.left + area.width - LABEL_WIDTH / 4
  return periods.map((period, index) =>
    isLabeled(periods, index, step, unit, zone) ? (
      <AxisLabel key={period.group} area={area} x={Math.min(area.left + (index + 0.5) * slot, rightmost)}>
        {formatPeriodShort(period, unit, zone)}
      </AxisLabel>
    ) : null,
  )
}

interface ColumnBandProps {
  area: ChartArea
  count: number
  first: number
  last: number
  className: string
}

/** The background of the columns from `first` to `last`. */
export function ColumnBand({ area, count, first, last, className }: ColumnBandProps) {
  const slot = area.width / count
  return (
    <rect
      x={area.left + first * slot}
      y={area.top}
      width={(last - first + 1) * slot}
      height={area.height}
      className={className}
    />
  )
}
