import { Link } from 'wouter'
import { useTimeZone } from '../../../renderer/data/hooks.ts'
import { StatusDot, type Tone } from '../../../renderer/kit/badge.tsx'
import { DataTable } from '../../../renderer/kit/data-table.tsx'
import { chooseUsdDecimals, formatCount, formatDate, formatMoment } from '../../../renderer/kit/format.ts'
import { Money } from '../../../renderer/kit/money.tsx'
import type { Column } from '../../../renderer/kit/table-order.ts'
import type { MatchStatus, ReconciledItem, ReconciledLine, ReconciledSide } from '../api/reconciliations.ts'
import { MATCH_NAMES } from '../api/terms.ts'
import { Difference } from './report-list.tsx'

// The tables that compare what the provider and the log have.

/** The costs of days with few requests differ by less than a cent. */
const LEAST_DECIMALS = 4
/** The cost of single requests has six decimals in all lists. */
const ITEM_DECIMALS = 6

export function LineTable({ lines }: { lines: readonly ReconciledLine[] }) {
  const amounts = lines.flatMap(({ there, here, differenceUsd }) => [
    there?.costUsd,
    here?.costUsd,
    differenceUsd,
  ])
  const decimals = Math.max(
    LEAST_DECIMALS,
    chooseUsdDecimals(amounts.filter((usd) => typeof usd === 'number')),
  )
  return (
    <CompareTable<ReconciledLine>
      label="By day and model"
      rows={lines}
      getId={({ day, model }) => `${day} ${model}`}
      columns={[
        { id: 'day', head: 'Day', ...first, cell: ({ day }) => formatDate(day, 'UTC') },
        modelColumn,
        ...compareColumns(decimals),
      ]}
    />
  )
}

export function ItemTable({ items }: { items: readonly ReconciledItem[] }) {
  const timeZone = useTimeZone()
  return (
    <CompareTable<ReconciledItem>
      firstShown={100}
      label="Requests that do not match"
      rows={items}
      getId={({ requestId, row }) => `${requestId} ${row}`}
      columns={[
        {
          id: 'time',
          head: 'Time',
          ...first,
          cell: ({ requestId, at }) =>
            requestId === null ? (
              formatMoment(at, timeZone)
            ) : (
              <Link href={`/requests/${requestId}`} className="text-accent-ink hover:underline">
                {formatMoment(at, timeZone)}
              </Link>
            ),
        },
        modelColumn,
        ...compareColumns<ReconciledItem>(ITEM_DECIMALS, ({ row }) =>
          row === null ? undefined : `Row ${row} of the file`,
        ),
      ]}
    />
  )
}

interface CompareTableProps<Row> {
  label: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  getId: (row: Row) => string
  firstShown?: number
}

function CompareTable<Row extends Compared>({ label, ...table }: CompareTableProps<Row>) {
  if (table.rows.length === 0) return <p className="px-4 pb-4 text-ink-3">None.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <DataTable look="wide" {...table} />
    </section>
  )
}

interface Compared {
  model: string | null
  status: MatchStatus
  there: ReconciledSide | null
  here: ReconciledSide | null
  differenceUsd: number | null
}

const first = { className: 'pl-4', cellClass: 'whitespace-nowrap' }

const modelColumn: Column<Compared> = {
  id: 'model',
  head: 'Model',
  cellClass: 'max-w-64 truncate font-medium',
  title: ({ model }) => model ?? undefined,
  cell: ({ model }) => model ?? 'All models',
}

function compareColumns<Row extends Compared>(
  decimals: number,
  title?: (row: Row) => string | undefined,
): Column<Row>[] {
  return [
    {
      id: 'status',
      head: 'Status',
      cellClass: 'whitespace-nowrap',
      ...(title ? { title } : {}),
      cell: ({ status }) => <StatusDot tone={matchNames[status].tone}>{matchNames[status].label}</StatusDot>,
    },
    ...sideColumns<Row>('Provider', ({ there }) => there, decimals),
    ...sideColumns<Row>('Log', ({ here }) => here, decimals),
    {
      id: 'difference',
      head: 'Difference',
      right: true,
      cellClass: 'whitespace-nowrap font-medium',
      cell: ({ differenceUsd: usd }) =>
        usd === null ? (
          '–'
        ) : usd === 0 ? (
          <span className="text-ink-3">0</span>
        ) : (
          <Difference usd={usd} decimals={decimals} />
        ),
    },
  ]
}

function sideColumns<Row>(
  group: string,
  getSide: (row: Row) => ReconciledSide | null,
  decimals: number,
): Column<Row>[] {
  return [
    {
      id: `${group} tokens`,
      group,
      head: 'Tokens',
      right: true,
      cellClass: 'whitespace-nowrap text-ink-2',
      title: (row) => {
        const requests = getSide(row)?.requests ?? null
        return requests === null ? undefined : `${formatCount(requests)} requests`
      },
      cell: (row) => {
        const { tokensIn = null, tokensOut = null } = getSide(row) ?? {}
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
      cell: (row) => {
        const usd = getSide(row)?.costUsd ?? null
        return usd === null ? '–' : <Money usd={usd} decimals={decimals} />
      },
    },
  ]
}

export const matchNames: Readonly<Record<MatchStatus, { label: string; tone: Tone; explanation: string }>> = {
  matched: {
    label: MATCH_NAMES.matched,
    tone: 'good',
    explanation: 'The same on both sides, except for rounding.',
  },
  differing: {
    label: MATCH_NAMES.differing,
    tone: 'warn',
    explanation: 'On both sides, but tokens or cost differ.',
  },
  'missing-here': {
    label: MATCH_NAMES['missing-here'],
    tone: 'bad',
    explanation: 'Not in the request log.',
  },
  'missing-there': { label: MATCH_NAMES['missing-there'], tone: 'bad', explanation: 'Not in the export.' },
}

export type StatusFilter = MatchStatus | 'all'
