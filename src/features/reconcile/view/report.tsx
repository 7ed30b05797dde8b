import { type ReactNode, useState } from 'react'
import { toast } from 'sonner'
import { Link } from 'wouter'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { StatusDot, type Tone } from '../../../renderer/kit/badge.tsx'
import { Button } from '../../../renderer/kit/button.tsx'
import { SegmentedControl } from '../../../renderer/kit/controls.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { ConfirmDialog } from '../../../renderer/kit/dialog.tsx'
import {
  chooseUsdDecimals,
  formatCount,
  formatDate,
  formatMoment,
  formatQuantity,
  formatUsdExact,
} from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import { Card, CardHeader } from '../../../renderer/kit/page.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import type {
  Charges,
  MatchStatus,
  ReconciledDay,
  ReconciledRequest,
  ReconciledSide,
} from '../api/reconciliations.ts'
import { MATCH_NAMES } from '../api/terms.ts'
import { type Comparison, settleCharges } from './comparison.ts'

type Shown = 'all' | 'differences'

export function Report(comparison: Comparison) {
  const { file, report } = comparison
  const [shown, setShown] = useState<Shown>('all')
  const days = report.days.filter(({ status }) => shown === 'all' || status !== 'matched')
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">
        {`${file.name}, ${report.formatName}, ${formatQuantity(report.rows, 'row')}, days in UTC. `}
        {report.notes.join(' ')}
      </p>
      <Totals {...comparison} />
      <SettleCard {...comparison} />
      <Card>
        <CardHeader title="By day and model">
          <SegmentedControl
            label="Show"
            options={[
              { value: 'all', label: 'All' },
              { value: 'differences', label: 'Differences' },
            ]}
            value={shown}
            onChange={setShown}
          />
        </CardHeader>
        <CompareTable label="By day and model" lines={days} />
      </Card>
      {report.counted === 'request' ? (
        <Card>
          <CardHeader title="Requests that do not match">
            {report.requestsLeftOut > 0 ? `${formatCount(report.requestsLeftOut)} more are not listed` : ''}
          </CardHeader>
          <CompareTable label="Requests that do not match" lines={report.requests} />
        </Card>
      ) : null}
    </div>
  )
}

function Totals({ report: { there, here, differenceUsd, counts, counted } }: Comparison) {
  const amounts = [there.costUsd, here.costUsd, differenceUsd].filter((usd) => usd !== null)
  const decimals = chooseUsdDecimals(amounts)
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return (
    <div className="grid grid-cols-4 gap-4 max-lg:grid-cols-2">
      <Fact title="Provider" note={describe(there)}>
        {there.costUsd === null ? 'no costs' : <Money usd={there.costUsd} decimals={decimals} />}
      </Fact>
      <Fact title="Request log" note={describe(here)}>
        <Money usd={here.costUsd ?? 0} decimals={decimals} />
      </Fact>
      <Fact
        title="Difference"
        note={differenceUsd === null ? 'The export has no costs' : 'Provider minus log'}
      >
        {differenceUsd === null ? 'unknown' : <Difference usd={differenceUsd} decimals={decimals} />}
      </Fact>
      <Fact
        title="Matching"
        note={`of ${formatCount(all)} ${counted === 'request' ? 'requests' : 'days and models'}`}
      >
        {formatCount(counts.matched ?? 0)}
      </Fact>
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

function describe({ requests, tokensIn, tokensOut }: ReconciledSide): string {
  const hasTokens = tokensIn !== null || tokensOut !== null
  const parts = [
    requests === null ? '' : formatQuantity(requests, 'request'),
    hasTokens ? `${formatCount((tokensIn ?? 0) + (tokensOut ?? 0), true)} tokens` : '',
  ]
  return parts.filter(Boolean).join(', ') || 'only costs'
}

/** The signed difference: more at the provider is a plus. */
function Difference({ usd, decimals }: { usd: number; decimals: number }) {
  return (
    <span>
      {usd > 0 ? '+' : ''}
      <Money usd={usd} decimals={decimals} />
    </span>
  )
}

/** Offers to settle uncertain charges at the amounts of the export, after saying what will change. */
function SettleCard(comparison: Comparison) {
  const [asking, setAsking] = useState(false)
  const { open, settled } = comparison.report
  if (open.requests === 0 && settled.requests === 0) return null
  const action = `Settle ${formatQuantity(open.requests, 'charge')}`
  const settle = async () => {
    const report = await settleCharges(comparison)
    toast.success(`${formatQuantity(report.settled.requests, 'charge')} settled.`)
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg bg-sunken px-4 py-3">
      <p className="min-w-0 flex-1">{describeCharges(open, settled)}</p>
      {open.requests > 0 ? (
        <Button variant="primary" needsGateway className="print:hidden" onClick={() => setAsking(true)}>
          Settle charges…
        </Button>
      ) : null}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={action}
        description={`Each is charged what the export says. Spend of the keys and the account, caps and all totals change by ${signed(open.changeUsd)}, in the days and months of the requests. This cannot be undone.`}
        action={action}
        onConfirm={settle}
      />
    </div>
  )
}

function describeCharges(open: Charges, settled: Charges): string {
  const openCharges = formatQuantity(open.requests, 'charge')
  if (settled.requests === 0) {
    return `The export settles ${openCharges} that so far ${open.requests === 1 ? 'is' : 'are'} estimated or unsettled. Spend changes by ${signed(open.changeUsd)}.`
  }
  const done = `${formatQuantity(settled.requests, 'charge')} settled from this export; spend changed by ${signed(settled.changeUsd)}.`
  return open.requests === 0
    ? done
    : `${done} ${openCharges} could not be settled, because of other changes or bounds.`
}

function signed(usd: number): string {
  return usd > 0 ? `+${formatUsdExact(usd)}` : formatUsdExact(usd)
}

type Line = ReconciledDay | ReconciledRequest

/** The costs of days with few requests differ by less than a cent. */
const LEAST_DECIMALS = 4
const FIRST_SHOWN = 100

function CompareTable({ label, lines }: { label: string; lines: readonly Line[] }) {
  const timeZone = useTimeZone()
  if (lines.length === 0) return <p className="px-4 pb-4 text-ink-3">None.</p>
  const isByDay = lines.some((line) => 'day' in line)
  const amounts = lines.flatMap(({ there, here, differenceUsd }) => [
    there?.costUsd ?? 0,
    here?.costUsd ?? 0,
    differenceUsd ?? 0,
  ])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <DataTable
        look="wide"
        firstShown={FIRST_SHOWN}
        rows={lines}
        getId={(line) => ('at' in line ? `${line.requestId} ${line.row}` : `${line.day} ${line.model}`)}
        columns={createColumns(isByDay, Math.max(LEAST_DECIMALS, chooseUsdDecimals(amounts)), timeZone)}
      />
    </section>
  )
}

function createColumns(isByDay: boolean, decimals: number, timeZone: string | undefined): Column<Line>[] {
  return [
    {
      id: 'time',
      head: isByDay ? 'Day' : 'Time',
      className: 'pl-4',
      cellClass: 'whitespace-nowrap',
      title: (line) => ('at' in line && line.row !== null ? `Row ${line.row} of the file` : undefined),
      cell: (line) => {
        if (!('at' in line)) return formatDate(line.day, 'UTC')
        const time = formatMoment(line.at, timeZone)
        return line.requestId === null ? (
          time
        ) : (
          <Link href={`/requests/${line.requestId}`} className="text-accent-ink hover:underline">
            {time}
          </Link>
        )
      },
    },
    {
      id: 'model',
      head: 'Model',
      cellClass: 'max-w-64 truncate font-medium',
      title: ({ model }) => model ?? undefined,
      cell: ({ model }) => model ?? 'All models',
    },
    {
      id: 'status',
      head: 'Status',
      cellClass: 'whitespace-nowrap',
      cell: ({ status }) => <StatusDot tone={TONES[status]}>{MATCH_NAMES[status]}</StatusDot>,
    },
    ...sideColumns('Provider', ({ there }) => there, decimals),
    ...sideColumns('Log', ({ here }) => here, decimals),
    {
      id: 'difference',
      head: 'Difference',
      right: true,
      cellClass: 'whitespace-nowrap font-medium',
      cell: ({ differenceUsd: usd }) =>
        usd === null ? '–' : usd === 0 ? '0' : <Difference usd={usd} decimals={decimals} />,
    },
  ]
}

const TONES: Readonly<Record<MatchStatus, Tone>> = {
  matched: 'good',
  differing: 'warn',
  'missing-here': 'bad',
  'missing-there': 'bad',
}

function sideColumns(
  group: string,
  getSide: (line: Line) => ReconciledSide | null,
  decimals: number,
): Column<Line>[] {
  return [
    {
      id: `${group} tokens`,
      group,
      head: 'Tokens',
      right: true,
      cellClass: 'whitespace-nowrap text-ink-2',
      title: (line) => {
        const requests = getSide(line)?.requests ?? null
        return requests === null ? undefined : `${formatCount(requests)} requests`
      },
      cell: (line) => {
        const { tokensIn = null, tokensOut = null } = getSide(line) ?? {}
        return tokensIn === null && tokensOut === null
          ? '–'
          : `${formatCount(tokensIn ?? 0)} / ${formatCount(tokensOut ?? 0)}`
      },
    },
    {
      id: `${group} cost`,
      group,
      head: 'Cost',
      right: true,
      cellClass: 'whitespace-nowrap',
      cell: (line) => {
        const usd = getSide(line)?.costUsd ?? null
        return usd === null ? '–' : <Money usd={usd} decimals={decimals} />
      },
    },
  ]
}
