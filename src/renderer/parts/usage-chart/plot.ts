import type { Period, PeriodUsage, UsageSums } from '../../data/periods.ts'

/** One color of a chart: a part of all columns. */
export interface Series {
  /** The group's id; null for all others together. */
  id: string | null
  label: string
  /** Over all periods. */
  total: number
  /** Its color, as in CSS. */
  color: string
}

export interface Column {
  period: Period
  /** One for each series, in their order. */
  values: number[]
  requests: number
  /** Requests whose cost is unknown. */
  unpriced: number
}

export interface Plot {
  /** The largest comes first, at the bottom of the stack. */
  series: Series[]
  columns: Column[]
  /** The heights of the columns in the period before, drawn as a line; absent where the columns have more than that. */
  before?: readonly PastColumn[]
}

export interface PastColumn {
  period: Period
  value: number
}

export const noPlot: Plot = { series: [], columns: [] }

/** The series with a color of their own; all others share the next one. */
export const MAX_SERIES = 5

interface PlotSource {
  periods: readonly PeriodUsage[]
  /** The period before; undefined where it is not compared. */
  past: readonly PeriodUsage[] | undefined
  /** Imported calls of agents; undefined where they are not shown. */
  history: readonly PeriodUsage[] | undefined
  getAmount: (sums: UsageSums) => number
  /** The name of a group on the screen. */
  getName: (id: string, label: string) => string
}

/** What a chart of usage shows. */
export function createPlot({ periods, past, history, getAmount, getName }: PlotSource): Plot {
  const { series, columns } = stackParts(periods, MAX_SERIES, getAmount)
  const plot: Plot = {
    columns,
    series: series.map((one) => (one.id === null ? one : { ...one, label: getName(one.id, one.label) })),
    ...(past && { before: sumColumns(past, getAmount) }),
  }
  return history ? addHistory(plot, history, getAmount) : plot
}

/** At most `most` series by name, largest first, and one for the rest. */
export function stackParts(
  periods: readonly PeriodUsage[],
  most: number,
  getAmount: (sums: UsageSums) => number,
): Plot {
  const sums = new Map<string, { id: string; label: string; total: number }>()
  for (const row of periods.flatMap(({ rows }) => rows)) {
    const one = sums.get(row.group) ?? { id: row.group, label: row.label, total: 0 }
    one.total += getAmount(row)
    sums.set(row.group, one)
  }
  const ranked = [...sums.values()].filter(({ total }) => total > 0).toSorted((a, b) => b.total - a.total)
  const named = ranked.slice(0, ranked.length === most + 1 ? most + 1 : most)
  const rest = ranked.slice(named.length)
  const others = { id: null, label: `${rest.length} others`, total: sum(rest.map(({ total }) => total)) }
  const series = (rest.length > 0 ? [...named, others] : named).map((one, index) => ({
    ...one,
    color: seriesColor(index),
  }))
  const places = new Map(named.map(({ id }, index) => [id, index]))
  return {
    series,
    columns: periods.map(({ rows, ...period }) => {
      const values = series.map(() => 0)
      for (const row of rows) {
        const place = places.get(row.group) ?? series.length - 1
        const value = getAmount(row)
        if (value > 0) values[place] = (values[place] ?? 0) + value
      }
      return { period, values, ...countRequests(rows) }
    }),
  }
}

function sumColumns(periods: readonly PeriodUsage[], getAmount: (sums: UsageSums) => number): PastColumn[] {
  return periods.map(({ rows, ...period }) => ({ period, value: sum(rows.map(getAmount)) }))
}

/** The id of the series of what was imported from the logs of agents. */
export const HISTORY = ' history'
export const HISTORY_COLOR = 'var(--chart-history)'

/** Stacks what was imported from the logs of agents on what the gateway has metered. The period before has nothing of it, and is left out. */
function addHistory(
  plot: Plot,
  periods: readonly PeriodUsage[],
  getAmount: (sums: UsageSums) => number,
): Plot {
  const sums = sumColumns(periods, getAmount)
  const total = sum(sums.map(({ value }) => value))
  if (total === 0) return plot
  const { before: _, ...shown } = plot
  return {
    ...shown,
    series: [...plot.series, { id: HISTORY, label: 'History of agents', total, color: HISTORY_COLOR }],
    columns: plot.columns.map((column, index) => {
      const counts = countRequests(periods[index]?.rows ?? [])
      return {
        ...column,
        values: [...column.values, sums[index]?.value ?? 0],
        requests: column.requests + counts.requests,
        unpriced: column.unpriced + counts.unpriced,
      }
    }),
  }
}

export function computeHeight({ values }: Column): number {
  return sum(values)
}

/** The color of a series; all after the sixth share one. */
export function seriesColor(index: number): string {
  return `var(--chart-${Math.min(index, MAX_SERIES) + 1})`
}

function countRequests(rows: readonly UsageSums[]): Pick<Column, 'requests' | 'unpriced'> {
  return {
    requests: sum(rows.map(({ requests }) => requests)),
    unpriced: sum(rows.map(({ unpriced }) => unpriced)),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
