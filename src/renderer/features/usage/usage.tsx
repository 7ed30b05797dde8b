import { ChartColumn, Scale } from 'lucide-react'
import { useLocation } from 'wouter'
import { PromptSummary } from '../../../features/prompt-doctor/view/prompt-report.tsx'
import { branchHref, requestsHref, type UsageFilter } from '../../data/request-link.ts'
import { Button } from '../../kit/button.tsx'
import { copyText } from '../../kit/copy.tsx'
import { DataTable } from '../../kit/data-table.tsx'
import { MarkedBar } from '../../kit/marked-bar.tsx'
import { EmptyState, LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Page } from '../../kit/page.tsx'
import { DateRangePicker, EmptyPeriodAction, useHasRequests } from '../../parts/period/date-range-picker.tsx'
import { createUsageCsv, UsageExport } from './usage-export.tsx'
import { hasParts, UsageFilterBar } from './usage-filter-bar.tsx'
import { getId, type UsageModel, useByRows, useUsageModel } from './usage-model.ts'
import { UsageOverTime } from './usage-over-time.tsx'
import { SMALLER, type TableRow } from './usage-row.ts'

/** The address says which usage is shown, and how. */
export function Usage() {
  const model = useUsageModel()
  const [, navigate] = useLocation()
  const { address, change, range, setRange, span, isKnown, error } = model
  const { filter } = address
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
            fileName={model.fileName}
            month={model.month}
            rows={model.shown}
            readParts={model.readParts}
          />
          <DateRangePicker range={range} onChange={setRange} />
        </>
      }
    >
      <UsageFilterBar address={address} onChange={change} />
      {isKnown && Object.keys(filter).every((name) => name === 'client') ? (
        <PromptSummary
          of={{
            from: new Date(span.start).toISOString(),
            to: new Date(span.end).toISOString(),
            ...(filter.client !== undefined && { client: filter.client }),
          }}
        />
      ) : null}
      {model.isReading ? <SkeletonRows rows={8} /> : null}
      {error ? <LoadError error={error} onRetry={model.retry} /> : null}
      {model.isEmpty ? <NoUsage model={model} /> : null}
      {model.hasRows ? (
        <UsageOverTime
          plot={model.plot}
          measure={model.measure}
          unit={model.unit}
          zone={model.zone}
          filter={filter}
          split={model.chartSplit}
          onRange={setRange}
        />
      ) : null}
      <UsageTable model={model} />
    </Page>
  )
}

function NoUsage({ model: { isFiltered, change, range, setRange } }: { model: UsageModel }) {
  const hasRequests = useHasRequests()
  const title = hasRequests ? 'No usage in this period' : 'No usage yet'
  return (
    <EmptyState
      icon={ChartColumn}
      title={isFiltered ? 'No usage matches these filters' : title}
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
  )
}

const noneMarked: ReadonlySet<string> = new Set()
const getParts = ({ parts }: TableRow) => parts
const rankRow = ({ id }: TableRow) => (id === SMALLER ? 1 : 0)

function UsageTable({ model }: { model: UsageModel }) {
  const { address, change, folded, total, columns, expanded, expand, fileName } = model
  const { by, sort } = address
  const [marked, setMarked] = useByRows(by, noneMarked)
  const open = useOpenRow(model)
  const start = hasParts(by) ? 'first:pl-4 max-sm:first:pl-2' : 'first:pl-6 max-sm:first:pl-4'
  return (
    <>
      <MarkedBar
        rows={listMarked(folded, marked)}
        csv={{ create: (some) => createUsageCsv(some, by), fileName }}
        onClear={() => setMarked(noneMarked)}
      />
      {model.hasRows ? (
        <DataTable
          label="Usage"
          look="page"
          columns={columns}
          rows={folded}
          rank={rankRow}
          getId={getId}
          getName={({ name }) => name}
          sorting={[sort, (next) => change({ sort: next })]}
          {...(hasParts(by) && { tree: { expanded, onExpand: expand, getParts } })}
          {...(total ? { total } : {})}
          stale={model.whole.isPlaceholderData}
          classes={{
            frame: '@container bg-surface',
            head: 'whitespace-nowrap @6xl:px-3 first:pl-6 max-sm:first:pl-4',
            cell: `h-(--row) whitespace-nowrap text-sm @6xl:px-3 ${start}`,
            foot: 'whitespace-nowrap @6xl:px-3 first:pl-6 max-sm:first:pl-4',
            // Stands next to the last column that is shown, whichever it is.
            edge: 'w-4 min-w-4 p-0! @6xl:w-3 @6xl:min-w-3 max-sm:w-2 max-sm:min-w-2',
          }}
          marking={{ marked, onMark: setMarked }}
          menu={{
            label: 'Usage',
            getItems: (record, parent) => [
              ...(record.id === SMALLER || record.isImported
                ? []
                : [{ label: 'View requests', onSelect: () => open(record, parent) }]),
              { label: 'Copy name', onSelect: () => void copyText(record.name) },
            ],
          }}
          onOpen={open}
        />
      ) : null}
    </>
  )
}

/** Opens the requests of a row or of a part of one, or what a row stands for. */
function useOpenRow({ address: { by, parts, filter }, range, expanded, expand }: UsageModel) {
  const [, navigate] = useLocation()
  return (record: TableRow, row: TableRow | null) => {
    if (record.isImported) return
    if (record.id === SMALLER) return expand(SMALLER, expanded[SMALLER] !== true)
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
}

/** The marked rows, and the marked parts of those that are not. */
function listMarked(rows: readonly TableRow[], marked: ReadonlySet<string>): TableRow[] {
  return rows.flatMap((row) =>
    marked.has(row.id) ? [row] : (row.parts ?? []).filter(({ id }) => marked.has(`${row.id} ${id}`)),
  )
}
