import { Share } from 'lucide-react'
import { useState } from 'react'
import { formatRangeDates } from '../../data/date-range.ts'
import type { UsageSums } from '../../data/periods.ts'
import { roundTicks } from '../../kit/chart-frame.tsx'
import { formatCount } from '../../kit/format.ts'
import { IconButton } from '../../kit/icon-button.tsx'
import { lazyView } from '../../kit/lazy-view.tsx'
import type { SharedPicture } from '../../parts/share/share-dialog.tsx'
import { getMeasure, type MeasureName } from '../../parts/usage-chart/chart-measures.ts'
import { formatPeriodShort } from '../../parts/usage-chart/period-name.ts'
import { computeHeight, type Plot } from '../../parts/usage-chart/plot.ts'
import type { OverviewRange } from './overview-range.ts'

const dialog = lazyView(async () => (await import('../../parts/share/share-dialog.tsx')).ShareDialog)

/** The button that shows the chart as a picture to save or copy. */
export function ShareChart(shown: Shown) {
  const [picture, setPicture] = useState<SharedPicture | null>(null)
  return (
    <>
      <IconButton
        small
        label="Share this chart"
        icon={Share}
        onClick={() => setPicture(createPicture(shown, Date.now()))}
      />
      {picture ? (
        <dialog.View
          picture={picture}
          fileName={`tollgate-${shown.measure}`}
          onClose={() => setPicture(null)}
        />
      ) : null}
    </>
  )
}

export interface Shown {
  plot: Plot
  measure: MeasureName
  /** The split of the chart, such as "by model". */
  split: string
  scope: OverviewRange
  total: UsageSums
}

/** The chart as a picture. Of latencies there is none. */
function createPicture(shown: Shown, nowMs: number): SharedPicture {
  const { plot, measure, split, scope, total } = shown
  const { label, getAmount, findFormat, createTickFormat, whole } = getMeasure(measure)
  const { series, columns } = plot
  const ticks = roundTicks(Math.max(0, ...columns.map((column) => computeHeight(column, 'bars'))), whole)
  const top = ticks.at(-1) ?? 1
  const amount = getAmount?.(total) ?? 0
  const format = findFormat([amount])
  const formatRow = findFormat(series.map((one) => one.total ?? 0))
  const [first, last] = [columns[0], columns.at(-1)]
  const nameEnd = (column: typeof first) =>
    column ? formatPeriodShort(column.period, scope.unit, scope.zone) : ''
  return {
    title: `${label} ${split}`,
    isNamed: false,
    period: formatRangeDates(scope.range, nowMs, scope.zone),
    figures: [
      { label, value: format(amount) },
      ...(measure === 'requests' ? [] : [{ label: 'Requests', value: formatCount(total.requests) }]),
      ...(measure === 'tokens'
        ? []
        : [{ label: 'Tokens', value: formatCount(total.tokensIn + total.tokensOut, true) }]),
    ],
    chart: {
      kind: 'bars',
      columns: columns.map(({ values }) => values.map((value) => (value ?? 0) / top)),
      top: createTickFormat(ticks)(top),
      ends: [nameEnd(first), nameEnd(last)],
    },
    rowsTitle: split.charAt(0).toUpperCase() + split.slice(1),
    rows: series.map((one, index) => ({
      name: one.label,
      value: formatRow(one.total ?? 0),
      series: index,
    })),
  }
}
