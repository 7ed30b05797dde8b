import { useQuery } from '@tanstack/react-query'
import { ChartColumn, Scale } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { getDateFormat } from '../../../shared/values/locale.ts'
import { useElapsedBefore } from '../../data/comparison.ts'
import { type DateRange, LAST_7_DAYS, resolveRange } from '../../data/date-range.ts'
import { chooseUnit } from '../../data/periods.ts'
import { queries } from '../../data/queries.ts'
import { queryClient } from '../../data/query-client.ts'
import { branchHref, requestsHref, type UsageFilter } from '../../data/request-link.ts'
import { useUsageLabel } from '../../data/usage-label.ts'
import type { PeriodUsage } from '../../data/usage-periods.ts'
import {
  listCosts,
  pastCosts,
  type UsageBy,
  type UsageTableQuery,
  usageTable,
  usageTrends,
} from '../../data/usage-table.ts'
import { useDateRange } from '../../data/use-date-range.ts'
import { useSessionNames } from '../../data/use-session-name.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { formatDay, getDay } from '../../kit/format.ts'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { useTableRows } from '../../kit/table-order.ts'
import { useNow } from '../../kit/use-now.ts'
import { DateRangePicker } from '../../parts/period/date-range-picker.tsx'
import { EmptyPeriodAction, useHasRequests } from '../../parts/period/empty-period.tsx'
import { PromptSummary } from '../../parts/prompts/prompt-report.tsx'
import { type Plot, seriesColor } from '../../parts/usage-chart/plot.ts'
import { createColumns, createScale } from './usage-columns.tsx'
import { createUsageCsv, UsageExport } from './usage-export.tsx'
import {
  hasParts,
  ROWS,
  readAddress,
  type UsageAddress,
  UsageFilterBar,
  writeAddress,
} from './usage-filter-bar.tsx'
import { MAX_SERIES, UsageOverTime, useUsagePlot } from './usage-over-time.tsx'
import { foldSmall, type NameOf, type Names, SMALLER, type TableRow, toRow, toRows } from './usage-row.ts'

/** The address says which usage is shown, and how. */
export function Usage() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const address = useMemo(() => readAddress(search), [search])
  const { by, parts, filter, sort } = address
  const change = (part: Partial<UsageAddress>) => {
    const text = writeAddress(search, part)
    navigate(text ? `/usage?${text}` : '/usage', { replace: true })
  }
  const [range, setRange] = useDateRange(LAST_7_DAYS)
  // The days begin and end in its time zone.
  const account = useQuery(queries.account)
  const timeZone = account.data?.timeZone
  const zone = timeZone ?? 'UTC'
  const now = useNow()
  const { start, end } = resolveRange(range, now, zone)
  const [expanded, setExpanded] = useState<{ of: string; ids: Record<string, boolean> }>({ of: '', ids: {} })
  const expandedIds = expanded.of === by ? expanded.ids : noIds

  const request: UsageTableQuery = { by, span: { start, end }, zone, filter }
  const partsRequest = usageTable({ ...request, parts })
  const keepPrevious = {
    placeholderData: <T,>(before: T | undefined) => before,
    enabled: timeZone !== undefined,
  }
  const whole = useQuery({ ...usageTable(request), ...keepPrevious })
  const divided = useQuery({
    ...partsRequest,
    enabled: timeZone !== undefined && hasParts(by) && isDivided(expandedIds),
  })
  const before = useElapsedBefore(range)
  const isCompared = !UNREPEATED.has(by)
  const past = useQuery({
    ...pastCosts({ ...request, span: before?.span ?? request.span }),
    enabled: before !== undefined && isCompared,
  })
  const split = by !== 'day' && hasParts(by) ? by : null
  const chartSplit = split ?? (by === 'day' ? parts : 'model')
  const trends = useQuery({
    ...usageTrends(chartSplit, request),
    ...keepPrevious,
  })
  // While other rows are read, the previous ones are shown as what they are.
  const data = whole.data
  const names = useNames(address, range)
  const rows = useMemo(
    () => (data?.groupBy === by ? compare(toRows(data.data, divided.data?.data, names), past.data) : noRows),
    [data, by, divided.data, names, past.data],
  )
  const isFiltered = Object.keys(filter).length > 0
  const unit = chooseUnit(request.span)
  const { plot, measure } = useUsagePlot({
    ...{ periods: trends.data, sortedBy: sort.column, range, unit, isWhole: !isFiltered },
    getName: split === null ? names.part : names.row,
  })
  const drawn = useMemo(
    () => (split === null ? rows : draw(rows, trends.data, plot)),
    [split, rows, trends.data, plot],
  )
  const isByCost = sort.column === 'cost' || sort.column === 'share'
  const folded = useMemo(
    () => (split !== null && isByCost ? foldSmall(drawn, data?.total.costUsd ?? 0) : drawn),
    [split, isByCost, drawn, data],
  )
  const total = useMemo(
    () => data && compareTotal(toRow('', 'Total', data.total), past.data),
    [data, past.data],
  )
  const rowLabel = ROWS.find(({ value }) => value === by)?.label ?? ''
  const comparedWith = isCompared && before ? before.name : null
  const columns = useMemo(
    () => createColumns(rowLabel, createScale(rows, total), comparedWith, split !== null),
    [rowLabel, rows, total, comparedWith, split],
  )
  const shown = useTableRows({ rows, columns, getId, sort })
  const [marked, setMarked] = useState<{ of: string; ids: ReadonlySet<string> }>({ of: '', ids: noneMarked })
  const markedIds = marked.of === by ? marked.ids : noneMarked
  const fileName = `tollgate-usage-${getDay(start, zone)}-${getDay(Math.min(end, now), zone)}.csv`

  const expand = (id: string, on: boolean) => setExpanded({ of: by, ids: { ...expandedIds, [id]: on } })
  const open = (record: TableRow, row: TableRow | null) => {
    if (record.id === SMALLER) return expand(SMALLER, expandedIds[SMALLER] !== true)
    const parent = row?.id === SMALLER ? null : row
    if (by === 'commit' || by === 'branch') {
      if (by === 'branch' && record.id !== '') navigate(branchHref(record.id, range))
      return
    }
    const day = by === 'day' ? (parent ?? record).id : null
    const ids: UsageFilter = { ...filter }
    if (by !== 'day') ids[by] = (parent ?? record).id
    if (parent) ids[parts] = record.id
    const href = requestsHref(ids, day === null ? range : { firstDay: day, lastDay: day })
    if (href !== null) navigate(href)
  }
  const readParts = async () => {
    const { data: divisions } = await queryClient.ensureQueryData(partsRequest)
    const order = new Map(shown.map(({ record }, index) => [record.id, index]))
    return toRows(data?.data ?? [], divisions, names).toSorted(
      (a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0),
    )
  }
  const error = whole.error ?? (account.isLoadingError ? account.error : null)
  const isReading = data === undefined ? error === null : rows.length === 0 && whole.isPlaceholderData
  const hasRequests = useHasRequests()
  return (
    <Page
      title="Usage"
      subtitle="Spend, tokens and errors by model, key, provider, tool, project, session, branch and commit."
      fixed
      actions={
        <>
          <Button icon={Scale} onClick={() => navigate('/usage/reconcile')}>
            <span className="max-sm:sr-only">Reconcile</span>
          </Button>
          <UsageExport
            address={address}
            fileName={fileName}
            month={getDay(Math.min(end - 1, now), zone).slice(0, 7)}
            rows={shown.map(({ record }) => record)}
            readParts={readParts}
          />
          <DateRangePicker range={range} onChange={setRange} />
        </>
      }
    >
      <UsageFilterBar address={address} onChange={change} />
      {timeZone === undefined || Object.keys(filter).some((name) => name !== 'client') ? null : (
        <PromptSummary
          of={{
            from: new Date(start).toISOString(),
            to: new Date(end).toISOString(),
            ...(filter.client !== undefined && { client: filter.client }),
          }}
        />
      )}
      {isReading ? <SkeletonRows rows={8} /> : null}
      {data === undefined && error ? (
        <LoadError error={error} onRetry={() => void (account.isLoadingError ? account : whole).refetch()} />
      ) : null}
      {data && rows.length === 0 && !whole.isPlaceholderData ? (
        <EmptyState
          icon={ChartColumn}
          title={
            isFiltered
              ? 'No usage matches these filters'
              : hasRequests
                ? 'No usage in this period'
                : 'No usage yet'
          }
          action={
            isFiltered ? (
              <Button onClick={() => change({ filter: {} })}>Clear filters</Button>
            ) : (
              <EmptyPeriodAction range={range} onRange={setRange} />
            )
          }
        >
          Requests, tokens and cost appear here once a request has finished.
        </EmptyState>
      ) : null}
      {data && rows.length > 0 ? (
        <UsageOverTime {...{ plot, measure, unit, zone, filter }} split={chartSplit} onRange={setRange} />
      ) : null}
      <MarkedBar
        rows={listMarked(folded, markedIds)}
        csv={{ create: (some) => createUsageCsv(some, by), fileName }}
        onClear={() => setMarked({ of: by, ids: noneMarked })}
      />
      {data && rows.length > 0 ? (
        <DataTable
          label="Usage"
          look="page"
          columns={columns}
          rows={folded}
          rank={rankRow}
          getId={getId}
          getName={({ name }) => name}
          sorting={[sort, (next) => change({ sort: next })]}
          {...(hasParts(by) && {
            tree: {
              expanded: expandedIds,
              onExpand: expand,
              getParts,
            },
          })}
          {...(total ? { total } : {})}
          stale={whole.isPlaceholderData}
          classes={{
            frame: '@container bg-surface',
            head: 'whitespace-nowrap @6xl:px-3 first:pl-6 max-sm:first:pl-4',
            cell: `h-(--row) whitespace-nowrap text-sm @6xl:px-3 ${hasParts(by) ? 'first:pl-4 max-sm:first:pl-2' : 'first:pl-6 max-sm:first:pl-4'}`,
            foot: 'whitespace-nowrap @6xl:px-3 first:pl-6 max-sm:first:pl-4',
            // Stands next to the last column that is shown, whichever it is.
            edge: 'w-4 min-w-4 p-0! @6xl:w-3 @6xl:min-w-3 max-sm:w-2 max-sm:min-w-2',
          }}
          marking={{ marked: markedIds, onMark: (ids) => setMarked({ of: by, ids }) }}
          menu={{
            label: 'Usage',
            getItems: (record, parent) => [
              ...(record.id === SMALLER
                ? []
                : [{ label: 'View requests', onSelect: () => open(record, parent) }]),
              { label: 'Copy name', onSelect: () => void copyText(record.name) },
            ],
          }}
          onOpen={open}
        />
      ) : null}
    </Page>
  )
}

/** Groups that are not the same from one period to the next. */
const UNREPEATED: ReadonlySet<string> = new Set(['day', 'session', 'branch', 'commit'])

const noRows: ReturnType<typeof toRows> = []
const noIds: Record<string, boolean> = {}

const noneMarked: ReadonlySet<string> = new Set()

/** The marked rows, and the marked parts of those that are not. */
function listMarked(rows: readonly TableRow[], marked: ReadonlySet<string>): TableRow[] {
  return rows.flatMap((row) =>
    marked.has(row.id) ? [row] : (row.parts ?? []).filter(({ id }) => marked.has(`${row.id} ${id}`)),
  )
}

const getId = ({ id }: TableRow) => id
const getParts = ({ parts }: TableRow) => parts

/** Whether the parts of a row are shown that have to be read. */
function isDivided(expandedIds: Readonly<Record<string, boolean>>): boolean {
  return Object.entries(expandedIds).some(([id, isExpanded]) => isExpanded && id !== SMALLER)
}

const rankRow = ({ id }: TableRow) => (id === SMALLER ? 1 : 0)

/** A row without cost in the period before had none. */
function compare(rows: readonly TableRow[], past: ReadonlyMap<string, number> | undefined): TableRow[] {
  return rows.map((row) => ({ ...row, beforeUsd: past && (past.get(row.id) ?? 0) }))
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
  return rows.map((row) => ({
    ...row,
    trend: costs.get(row.id),
    color: seriesColor(places.get(row.id) ?? MAX_SERIES, 'bars'),
  }))
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
