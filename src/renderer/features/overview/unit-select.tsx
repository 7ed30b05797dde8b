import type { Unit } from '../../data/periods.ts'
import { Select } from '../../kit/select.tsx'
import { type OverviewRange, useChosenUnit } from './use-overview-range.ts'

const names: Record<Unit, string> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' }

/** Selects the unit that divides the chart: the one that fits the range, unless the user chooses another. */
export function UnitSelect({ scope: { unit, units, automatic } }: { scope: OverviewRange }) {
  return (
    <Select
      small
      label="Unit"
      value={unit}
      options={units.map((value) => ({ value, label: names[value] }))}
      onChange={(next) => useChosenUnit.setState({ unit: next === automatic ? null : next })}
    />
  )
}
