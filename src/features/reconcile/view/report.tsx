import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Printer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { useProviderNames } from '../../../renderer/data/hooks.ts'
import { Button } from '../../../renderer/kit/button.tsx'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { ConfirmDialog } from '../../../renderer/kit/dialog.tsx'
import {
  CSV_TYPE,
  type CsvColumn,
  type CsvValue,
  csvFields,
  download,
  formatUsdCell,
  writeCsv,
} from '../../../renderer/kit/download.ts'
import {
  chooseUsdDecimals,
  formatCount,
  formatDate,
  formatQuantity,
  formatUsdExact,
} from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import { LoadError, SkeletonRows } from '../../../renderer/kit/notice.tsx'
import { Card, CardHeader, Page } from '../../../renderer/kit/page.tsx'
import { useLightPrint } from '../../../renderer/kit/theme.ts'
import { MATCH_STATUSES, type ReconciledSide, type Reconciliation } from '../api/reconciliations.ts'
import { ItemTable, LineTable, matchNames, type StatusFilter } from './compare-tables.tsx'
import { Difference, reconciliation, settleReconciliation } from './report-list.tsx'

export function ReportView({ id }: { id: string }) {
  useLightPrint()
  const { data, error, refetch } = useQuery(reconciliation(id))
  const save = (report: Reconciliation) =>
    download(
      new Blob([writeReportCsv(report)], { type: CSV_TYPE }),
      `reconciliation-${report.provider}-${report.from}-${report.to}.csv`,
    )
  return (
    <Page
      title="Reconcile"
      subtitle={data ? <ReportTitle report={data} /> : null}
      width="normal"
      actions={
        data ? (
          <>
            <Button icon={Download} onClick={() => save(data)}>
              Save as CSV
            </Button>
            <Button icon={Printer} onClick={() => window.print()}>
              Print
            </Button>
          </>
        ) : null
      }
    >
      <Link
        href="/usage/reconcile"
        className="mb-4 inline-flex items-center gap-1 text-accent-ink hover:underline print:hidden"
      >
        <ArrowLeft size={13} aria-hidden />
        All reports
      </Link>
      {data ? <Report report={data} /> : null}
      {!data && error ? <LoadError error={error} onRetry={() => void refetch()} /> : null}
      {!data && !error ? <SkeletonRows rows={10} /> : null}
    </Page>
  )
}

function ReportTitle({ report }: { report: Reconciliation }) {
  const names = useProviderNames()
  return (
    <>
      {`${names.get(report.provider) ?? report.provider}, ${formatDate(report.from, 'UTC')} to ${formatDate(report.to, 'UTC')}`}
    </>
  )
}

function Report({ report }: { report: Reconciliation }) {
  const [shown, setShown] = useState<StatusFilter>('all')
  const { there, here, differenceUsd, counts, each } = report
  const amounts = [there.costUsd, here.costUsd, differenceUsd].filter((usd) => usd !== null)
  const decimals = chooseUsdDecimals(amounts)
  const what = each === 'request' ? 'requests' : 'days and models'
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        <ReportTitle report={report} />. {report.name === '' ? '' : `${report.name}, `}
        {`${report.formatName}, ${formatQuantity(report.rows, 'row')}, days in UTC.`}
      </p>
      <div className="grid grid-cols-4 gap-4 max-lg:grid-cols-2">
        <Fact title="Provider" note={describe(there.requests, there.tokensIn, there.tokensOut)}>
          {there.costUsd === null ? (
            <span className="text-ink-3">no costs</span>
          ) : (
            <Money usd={there.costUsd} decimals={decimals} />
          )}
        </Fact>
        <Fact title="Request log" note={describe(here.requests, here.tokensIn, here.tokensOut)}>
          <Money usd={here.costUsd ?? 0} decimals={decimals} />
        </Fact>
        <Fact
          title="Difference"
          note={differenceUsd === null ? 'The export has no costs' : 'Provider minus log'}
        >
          {differenceUsd === null ? (
            <span className="text-ink-3">unknown</span>
          ) : (
            <Difference usd={differenceUsd} decimals={decimals} />
          )}
        </Fact>
        <Fact
          title="Matching"
          note={`of ${formatCount(MATCH_STATUSES.reduce((sum, status) => sum + (counts[status] ?? 0), 0))} ${what}`}
        >
          {formatCount(counts.matched ?? 0)}
        </Fact>
      </div>
      <SettleCard report={report} />
      {report.notes.length > 0 ? (
        <ul className="text-ink-3 text-sm">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      <div className="flex flex-wrap items-center gap-3 print:hidden">
        <SegmentedControl
          label="Show"
          options={[
            { value: 'all', label: 'All' },
            ...MATCH_STATUSES.map((status) => ({ value: status, label: matchNames[status].label })),
          ]}
          value={shown}
          onChange={setShown}
        />
        <span className="text-ink-3">{shown === 'all' ? '' : matchNames[shown].explanation}</span>
      </div>
      <Card>
        <CardHeader title="By day and model" />
        <LineTable lines={report.lines.filter(({ status }) => shown === 'all' || status === shown)} />
      </Card>
      {each === 'request' ? (
        <Card>
          <CardHeader title="Requests that do not match">
            {report.itemsLeftOut > 0 ? `${formatCount(report.itemsLeftOut)} more are not listed` : ''}
          </CardHeader>
          <ItemTable items={report.items.filter(({ status }) => shown === 'all' || status === shown)} />
        </Card>
      ) : null}
    </div>
  )
}

function Fact({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <Card className="px-4 py-3">
      <h2 className="font-medium text-ink-3 text-sm">{title}</h2>
      <p className="mt-1 font-semibold text-xl tabular-nums">{children}</p>
      <p className="mt-0.5 text-ink-3 text-sm">{note}</p>
    </Card>
  )
}

function describe(requests: number | null, tokensIn: number | null, tokensOut: number | null): string {
  const tokens = tokensIn === null && tokensOut === null ? null : (tokensIn ?? 0) + (tokensOut ?? 0)
  const parts = [
    requests === null ? null : formatQuantity(requests, 'request'),
    tokens === null ? null : `${formatCount(tokens, true)} tokens`,
  ]
  return parts.filter(Boolean).join(', ') || 'only costs'
}

interface ReportRow {
  /** Its level, day, time, model, status, row in the export, and request. */
  names: readonly CsvValue[]
  there: ReconciledSide | null
  here: ReconciledSide | null
  differenceUsd: number | null
}

const NAMES = ['level', 'day', 'time', 'model', 'status', 'row', 'requestId']

function listSideColumns(prefix: string, name: 'there' | 'here'): CsvColumn<ReportRow>[] {
  return [
    [`${prefix}Requests`, (row) => row[name]?.requests ?? null],
    [`${prefix}TokensIn`, (row) => row[name]?.tokensIn ?? null],
    [`${prefix}TokensOut`, (row) => row[name]?.tokensOut ?? null],
    [`${prefix}CostUsd`, (row) => formatUsdCell(row[name]?.costUsd ?? null)],
  ]
}

const reportColumns: readonly CsvColumn<ReportRow>[] = [
  ...NAMES.map((name, index): CsvColumn<ReportRow> => [name, ({ names }) => names[index] ?? null]),
  ...listSideColumns('provider', 'there'),
  ...listSideColumns('log', 'here'),
  ...csvFields<ReportRow>('differenceUsd'),
]

/** The lines by day and model, then the requests that do not match. */
export function writeReportCsv({ lines, items, ...total }: Reconciliation): string {
  return writeCsv<ReportRow>(reportColumns, [
    { ...total, names: ['total'] },
    ...lines.map((line) => ({
      ...line,
      names: ['day', line.day, null, line.model ?? 'all models', line.status],
    })),
    ...items.map((item) => ({
      ...item,
      names: ['request', null, item.at, item.model, item.status, item.row, item.requestId],
    })),
  ])
}

/** Offers to settle uncertain charges at the amounts of the export, after saying what will change. */
function SettleCard({ report }: { report: Reconciliation }) {
  const [asking, setAsking] = useState(false)
  const { open, settled, settleable } = report
  const skipped = settleable.filter(({ state }) => state === 'skipped').length
  const settle = async () => {
    const { requests } = (await settleReconciliation(report.id)).settled
    toast.success(`${charges(requests)} settled.`)
  }
  if (settleable.length === 0) return null
  const what = <span className="font-medium">{`The export settles ${charges(open.requests)}`}</span>
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken px-4 py-3">
      <p className="min-w-0 flex-1">
        {open.requests > 0 ? (
          <>
            {what} that so far {open.requests === 1 ? 'is' : 'are'} estimated or unsettled. Spend changes by{' '}
            {signed(open.changeUsd)}.
          </>
        ) : (
          `${charges(settled.requests)} settled from this export; spend changed by ${signed(settled.changeUsd)}.`
        )}
        {skipped > 0 ? ` ${charges(skipped)} could not be settled, because of other changes or bounds.` : ''}
      </p>
      {open.requests > 0 ? (
        <Button variant="primary" needsGateway className="print:hidden" onClick={() => setAsking(true)}>
          Settle charges…
        </Button>
      ) : null}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Settle ${charges(open.requests)}`}
        description={`Each is charged what the export says. Spend of the keys and the account, caps and all totals change by ${signed(open.changeUsd)}, in the days and months of the requests. This cannot be undone.`}
        action={`Settle ${charges(open.requests)}`}
        onConfirm={settle}
      />
    </div>
  )
}

function charges(count: number): string {
  return formatQuantity(count, 'charge')
}

function signed(usd: number): string {
  return usd > 0 ? `+${formatUsdExact(usd)}` : formatUsdExact(usd)
}
