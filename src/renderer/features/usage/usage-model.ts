// The state of Usage: its address, its range of time, and the rows with their parts.

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { historyIn, useHistoryChoice } from '../../../features/history/view/use-history.ts'
import { getDateFormat } from '../../../shared/values/locale.ts'
import { useElapsedBefore } from '../../data/comparison.ts'
import { type DateRange, LAST_7_DAYS, resolveRange, useDateRange } from '../../data/date-range.ts'
import { chooseUnit, type PeriodUsage } from '../../data/periods.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import {
  listCosts,
  pastCosts,
  type UsageBy,
  type UsageTableQuery,
  usageTable,
  usageTrends,
} from '../../data/usage-table.ts'
import { useSessionNames } from '../../data/use-session-name.ts'
import { formatDay, getDay } from '../../kit/format.ts'
import { useTableRows } from '../../kit/table-order.ts'
import { useNow } from '../../kit/use-now.ts'
import { type Plot, seriesColor } from '../../parts/usage-chart/plot.ts'
import { createColumns, createScale } from './usage-columns.tsx'
import { hasParts, ROWS, readAddress, type UsageAddress, writeAddress } from './usage-filter-bar.tsx'
import { MAX_SERIES, useUsagePlot } from './usage-over-time.tsx'
import { foldSmall, type NameOf, type Names, SMALLER, type TableRow, toRow, toRows } from './usage-row.ts'

export type UsageModel = ReturnType<typeof useUsageModel>

export function useUsageModel() {
  const place = usePlace()
  const [expanded, setExpanded] = useByRows<Readonly<Record<string, boolean>>>(place.address.by, noneExpanded)
  const readings = useReadings(place, isDivided(expanded))
  const table = useTable(place, readings)
  const { span, now, zone } = place
  const { data, whole, account } = readings
  const [firstDay, lastDay] = [getDay(span.start, zone), getDay(Math.min(span.end, now), zone)]
  const error = whole.error ?? (account.isLoadingError ? account.error : null)
  const isEmpty = table.rows.length === 0
  return {
    ...place,
    ...readings,
    ...table,
    expanded,
    expand: (id: string, on: boolean) => setExpanded({ ...expanded, [id]: on }),
    fileName: `tollgate-usage-${firstDay}-${lastDay}.csv`,
    /** The last month that is shown, as YYYY-MM. */
    month: getDay(Math.min(span.end - 1, now), zone).slice(0, 7),
    isReading: data === undefined ? error === null : isEmpty && whole.isPlaceholderData,
    isEmpty: data !== undefined && isEmpty && !whole.isPlaceholderData,
    hasRows: data !== undefined && !isEmpty,
    error: data === undefined ? error : null,
    retry: () => void (account.isLoadingError ? account : whole).refetch(),
    /** Reads the parts of all rows, in the order that is shown. */
    async readParts(): Promise<TableRow[]> {
      const { data: divisions } = await queryClient.ensureQueryData(readings.partsQuery)
      const order = new Map(table.shown.map(({ id }, index) => [id, index]))
      return toRows(data?.data ?? [], divisions, readings.names).toSorted(
        (a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0),
      )
    },
  }
}

/** The address, and the range of time that it names. */
function usePlace() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const address = useMemo(() => readAddress(search), [search])
  const [range, setRange] = useDateRange(LAST_7_DAYS)
  const { data: account } = useQuery(queries.account)
  const now = useNow()
  // The days begin and end in its time zone.
  const zone = account?.timeZone ?? 'UTC'
  const { start, end } = resolveRange(range, now, zone)
  return {
    address,
    range,
    setRange,
    now,
    zone,
    span: useMemo(() => ({ start, end }), [start, end]),
    /** Whether the time zone, and so the days, are known. */
    isKnown: account !== undefined,
    isFiltered: Object.keys(address.filter).length > 0,
    change: (part: Partial<UsageAddress>) => {
      const text = writeAddress(search, part)
      navigate(text ? `/usage?${text}` : '/usage', { replace: true })
    },
  }
}

type Place = ReturnType<typeof usePlace>

/** Groups that are not the same from one period to the next. */
const UNREPEATED: ReadonlySet<string> = new Set(['day', 'session', 'branch', 'commit'])

/** Readings of the gateway; `divided` includes the parts of each row. */
function useReadings({ address, range, span, zone, isKnown }: Place, divided: boolean) {
  const { by, parts, filter } = address
  const isWithHistory = useHistoryChoice() === true
  const request: UsageTableQuery = { by, span, zone, filter }
  const partsQuery = usageTable({ ...request, parts, history: isWithHistory })
  const keepPrevious = { placeholderData: <T>(previous: T | undefined) => previous, enabled: isKnown }
  const whole = useQuery({ ...usageTable({ ...request, history: isWithHistory }), ...keepPrevious })
  const { data: divisions } = useQuery({ ...partsQuery, enabled: isKnown && hasParts(by) && divided })
  const period = useElapsedBefore(range)
  const comparedWith = UNREPEATED.has(by) ? undefined : period
  const { data: past } = useQuery({
    ...pastCosts({ ...request, span: comparedWith?.span ?? span }),
    enabled: comparedWith !== undefined,
  })
  /** The rows have trends, and colors in the chart. */
  const split = by !== 'day' && hasParts(by) ? by : null
  const chartSplit = split ?? (by === 'day' ? parts : 'model')
  const { data: trends } = useQuery({ ...usageTrends(chartSplit, request), ...keepPrevious })
  const { data: history } = useQuery({
    ...historyIn({ span, unit: chooseUnit(span), zone }, filter),
    enabled: isWithHistory && isKnown,
  })
  const account = useQuery(queries.account)
  const names = useNames(address, range)
  return {
    account,
    whole,
    data: whole.data,
    divisions,
    past,
    trends,
    comparedWith,
    history: isWithHistory ? history : undefined,
    partsQuery,
    split,
    chartSplit,
    names,
  }
}

/** The rows of the table, its columns, and the chart above it. */
function useTable({ address, range, span, isFiltered }: Place, readings: ReturnType<typeof useReadings>) {
  const { data, divisions, past, trends, history, names, split, comparedWith } = readings
  const { by, sort } = address
  const unit = chooseUnit(span)
  const { plot, measure } = useUsagePlot({
    periods: trends,
    sortedBy: sort.column,
    range,
    unit,
    isWhole: !isFiltered,
    history,
    getName: split === null ? names.part : names.row,
  })
  const rows = useMemo(() => {
    // While other rows are read, the previous ones are shown as what they are.
    if (data?.groupBy !== by) return noRows
    const compared = compare(toRows(data.data, divisions?.data, names), past)
    return split === null ? compared : draw(compared, trends, plot)
  }, [data, by, divisions, names, past, split, trends, plot])
  const isByCost = sort.column === 'cost' || sort.column === 'share'
  const folded = useMemo(
    () => (split !== null && isByCost ? foldSmall(rows, data?.total.costUsd ?? 0) : rows),
    [split, isByCost, rows, data],
  )
  const total = useMemo(() => data && compareTotal(toRow('', 'Total', data.total), past), [data, past])
  const historyUsd = data?.importedTotal?.requests ? data.importedTotal.costUsd : null
  const rowLabel = ROWS.find(({ value }) => value === by)?.label ?? ''
  const period = comparedWith?.name ?? null
  const columns = useMemo(
    () => createColumns(rowLabel, createScale(rows, total, historyUsd), period, split !== null),
    [rowLabel, rows, total, historyUsd, period, split],
  )
  const shown = useTableRows({ rows, columns, getId, sort }).map(({ record }) => record)
  return { plot, measure, unit, rows, folded, total, columns, shown }
}

const noRows: TableRow[] = []
const noneExpanded = {}

export const getId = ({ id }: TableRow) => id

/** State that ends when the table has other rows. */
export function useByRows<T>(by: UsageBy, initial: T): [T, (value: T) => void] {
  const [state, setState] = useState({ by, value: initial })
  return [state.by === by ? state.value : initial, (value) => setState({ by, value })]
}

/** Whether the parts of a row are shown that have to be read. */
function isDivided(expandedIds: Readonly<Record<string, boolean>>): boolean {
  return Object.entries(expandedIds).some(([id, isExpanded]) => isExpanded && id !== SMALLER)
}

/** A row without cost in the period before had none. */
function compare(rows: readonly TableRow[], past: ReadonlyMap<string, number> | undefined): TableRow[] {
  return rows.map((row) => (row.isImported ? row : { ...row, beforeUsd: past && (past.get(row.id) ?? 0) }))
}

/** Adds what is drawn: the costs of the periods, and the color of the row in the chart. */
function draw(
  rows: readonly TableRow[],
  periods: readonly PeriodUsage[] | undefined,
  plot: Plot | undefined,
): readonly TableRow[] {
  if (!periods || !plot) return rows
  const costs = listCosts(periods)
  const places = new Map(plot.series.map(({ id }, index) => [id, index]))
  return rows.map((row) => {
    if (row.isImported) return row
    const color = seriesColor(places.get(row.id) ?? MAX_SERIES, 'bars')
    return { ...row, trend: costs.get(row.id), color }
  })
}

function compareTotal(total: TableRow, past: ReadonlyMap<string, number> | undefined): TableRow {
  return { ...total, beforeUsd: past && [...past.values()].reduce((sum, usd) => sum + usd, 0) }
}

/** The names of rows and their parts on the screen. */
function useNames({ by, parts, filter }: UsageAddress, range: DateRange): Names {
  const rowName = useUsageLabel(by === 'day' ? 'model' : by)
  const partName = useUsageLabel(parts)
  const sessionName = useSessionNames({ range, filter, enabled: by === 'session' || parts === 'session' })
  return useMemo(() => {
    const withSessions = (split: UsageBy, getName: NameOf): NameOf =>
      split === 'session' ? (id, label) => sessionName(id) ?? getName(id, label) : getName
    return {
      row:
        by === 'day'
          ? (day) =>
              `${getDateFormat({ weekday: 'short' }, 'UTC').format(Date.parse(day))} ${formatDay(day, Date.now(), 'UTC')}`
          : withSessions(by, rowName),
      part: withSessions(parts, partName),
      ordered: by === 'day',
    }
  }, [by, parts, rowName, partName, sessionName])
}
