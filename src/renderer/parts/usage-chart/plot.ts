import type { Period, PeriodUsage, UsageSums } from '../../data/periods.ts'

/** One color of a chart: a part of all columns, or a line. */
export interface Series {
  /** The group's id; null for all others together. */
  id: string | null
  label: string
  /** Over all periods; null for unknown. */
  total: number | null
  /** Its color, as in CSS. */
  color: string
}

export interface Column {
  period: Period
  /** One for each series, in their order; null where a line has no point. */
  values: (number | null)[]
  requests: number
  /** Requests whose cost is unknown. */
  unpriced: number
}

export interface Plot {
  kind: 'bars' | 'lines'
  /** The series; of bars, the largest comes first, at the bottom of the stack. */
  series: Series[]
  columns: Column[]
  /** The heights of the columns in the period before, drawn as a line; absent while parts are hidden, and for lines. */
  before?: readonly PastColumn[]
}

export interface PastColumn {
  period: Period
  value: number
}

export const noPlot: Plot = { kind: 'bars', series: [], columns: [] }

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
  const series = paint(rest.length > 0 ? [...named, others] : named, 'bars')
  const places = new Map(named.map(({ id }, index) => [id, index]))
  return {
    kind: 'bars',
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

/** What each column amounted to in the period before. */
export function sumColumns(
  periods: readonly PeriodUsage[],
  getAmount: (sums: UsageSums) => number,
): PastColumn[] {
  return periods.map(({ rows, ...period }) => ({ period, value: sum(rows.map(getAmount)) }))
}

/** The median and the 95th percentile of the durations. */
export function drawLatency(
  periods: readonly PeriodUsage[],
  total: { latencyP50Ms?: number | null | undefined; latencyP95Ms?: number | null | undefined },
): Plot {
  const series = paint(
    [
      { id: 'p50', label: 'Median', total: total.latencyP50Ms ?? null },
      { id: 'p95', label: '95th percentile', total: total.latencyP95Ms ?? null },
    ],
    'lines',
  )
  return {
    kind: 'lines',
    series: series.some((one) => one.total !== null) ? series : [],
    columns: periods.map(({ rows, ...period }) => ({
      period,
      values: [rows[0]?.latencyP50Ms ?? null, rows[0]?.latencyP95Ms ?? null],
      ...countRequests(rows),
    })),
  }
}

/** The id of the series of what was imported from the logs of agents. */
export const HISTORY = ' history'
export const HISTORY_COLOR = 'var(--chart-history)'

/** Stacks what was imported from the logs of agents on what the gateway has metered. The period before has nothing of it, and is left out. */
export function addHistory(
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

/** The plot with the values of hidden series left out: the others keep their colors. */
export function hideSeries(plot: Plot, hidden: ReadonlySet<string>): Plot {
  if (hidden.size === 0) return plot
  const isHidden = plot.series.map(({ id }) => id !== null && hidden.has(id))
  const { before: _, ...shown } = plot
  return {
    ...shown,
    columns: plot.columns.map((column) => ({
      ...column,
      values: column.values.map((value, index) => (isHidden[index] ? null : value)),
    })),
  }
}

/** The height of a column: of bars the sum of its parts, of lines the highest point. */
export function computeHeight({ values }: Column, kind: Plot['kind']): number {
  return kind === 'bars'
    ? sum(values.map((value) => value ?? 0))
    : Math.max(0, ...values.map((value) => value ?? 0))
}

/** The color of a series; all after the sixth share one. */
export function seriesColor(index: number, kind: Plot['kind']): string {
  const lines = [1, 3]
  return `var(--chart-${kind === 'lines' ? (lines[index] ?? 6) : Math.min(index, 5) + 1})`
}

function paint(series: readonly Omit<Series, 'color'>[], kind: Plot['kind']): Series[] {
  return series.map((one, index) => ({ ...one, color: seriesColor(index, kind) }))
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
