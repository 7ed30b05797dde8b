import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, Download, Printer } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { MATCH_STATUSES, type Reconciliation } from '../../../shared/api/reconciliations.ts'
import { useProviderNames } from '../../data/hooks.ts'
import { reconciliation } from '../../data/reconciliations.ts'
import { Button } from '../../kit/button.tsx'
import { CSV_TYPE } from '../../kit/csv.ts'
import { download } from '../../kit/download.ts'
import { chooseUsdDecimals, formatCount, formatDate } from '../../kit/format.ts'
import { Menu } from '../../kit/menu.tsx'
import { Money } from '../../kit/money.tsx'
import { LoadError, SkeletonRows } from '../../kit/notice.tsx'
import { Card, CardHeader, Page } from '../../kit/page.tsx'
import { SegmentedControl } from '../../kit/segmented-control.tsx'
import { useLightPrint } from '../../kit/use-light-print.ts'
import { ItemTable, LineTable } from './compare-tables.tsx'
import { matchNames, type StatusFilter } from './match-names.ts'
import { writeReportCsv } from './report-csv.ts'
import { Difference } from './report-list.tsx'
import { SettleCard } from './settle-card.tsx'

export function ReportView({ id }: { id: string }) {
  useLightPrint()
  const { data, error, refetch } = useQuery(reconciliation(id))
  const save = (text: string, type: string, ending: string) =>
    download(
      new Blob([text], { type }),
      `reconciliation-${data?.provider}-${data?.from}-${data?.to}.${ending}`,
    )
  return (
    <Page
      title="Reconcile"
      subtitle={data ? <ReportTitle report={data} /> : null}
      width="normal"
      actions={
        data ? (
          <>
            <Menu
              label="Save report"
              trigger={<Button icon={Download}>Save</Button>}
              items={[
                { label: 'Save as CSV', onSelect: () => save(writeReportCsv(data), CSV_TYPE, 'csv') },
                {
                  label: 'Save as JSON',
                  onSelect: () => save(`${JSON.stringify(data, null, 2)}\n`, 'application/json', 'json'),
                },
              ]}
            />
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
      {names.get(report.provider) ?? report.provider}, {formatDate(report.from, 'UTC')} to{' '}
      {formatDate(report.to, 'UTC')}
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
        {report.formatName}, {formatCount(report.rows)} {report.rows === 1 ? 'row' : 'rows'}, days in{' '}
        {report.timeZone}.
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
    requests === null ? null : `${formatCount(requests)} ${requests === 1 ? 'request' : 'requests'}`,
    tokens === null ? null : `${formatCount(tokens, true)} tokens`,
  ]
  return parts.filter(Boolean).join(', ') || 'only costs'
}
