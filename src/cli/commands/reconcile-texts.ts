// Comparisons with providers' exports, as the commands show them.

import { MATCH_NAMES } from '../../shared/api/labels.ts'
import type {
  ReconciledItem,
  Reconciliation,
  ReconciliationSummary,
} from '../../shared/api/reconciliations.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { formatCount, formatMoment, pluralize, usdColumn } from '../terminal/amounts.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { formatFields } from './key-texts.ts'

/** Further ones are in the window and in JSON. */
const MAX_ITEMS = 50

export function formatReports(reports: readonly ReconciliationSummary[]): string {
  const usd = usdColumn(
    reports.flatMap(({ there, here, differenceUsd }) => [there.costUsd, here.costUsd, differenceUsd]),
  )
  const columns: Column<ReconciliationSummary>[] = [
    { title: 'COMPARED', cell: ({ createdAt }) => formatMoment(createdAt) },
    { title: 'PROVIDER', cell: ({ provider }) => provider },
    { title: 'FILE', flexible: true, cell: ({ name }) => name },
    { title: 'DAYS', cell: ({ from, to }) => `${from} – ${to}` },
    { title: 'BILLED', align: 'right', cell: ({ there }) => usd(there.costUsd) },
    { title: 'LOGGED', align: 'right', cell: ({ here }) => usd(here.costUsd) },
    { title: 'DIFFERENCE', align: 'right', cell: ({ differenceUsd }) => usd(differenceUsd) },
    { title: 'TO SETTLE', align: 'right', cell: ({ open }) => formatCount(open.requests) },
  ]
  return formatTable(columns, reports)
}

export function formatReport(report: Reconciliation): string {
  const { formatName, rows, from, to, timeZone, provider, there, here, differenceUsd, counts, each } = report
  const usd = usdColumn([there.costUsd, here.costUsd, differenceUsd])
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const what = each === 'request' ? 'requests' : 'days and models'
  const fields = formatFields([
    ['Export', `${formatName}, ${pluralize(rows, 'row')}`],
    ['Provider', provider],
    ['Days', `${from} to ${to}, in ${timeZone}`],
    ['Billed', there.costUsd === null ? 'the export has no costs' : usd(there.costUsd)],
    ['Logged', usd(here.costUsd)],
    ['Difference', differenceUsd === null ? 'unknown' : usd(differenceUsd)],
    ['Matching', `${formatCount(counts.matched ?? 0)} of ${formatCount(all)} ${what}`],
    ...report.notes.map((text) => ['Note', text] as const),
    [
      'To settle',
      report.open.requests === 0
        ? null
        : `${describeCharges(report.open)} (${describeChange(report.open)}): --settle`,
    ],
  ])
  return `${fields}${formatDifferences(report)}`
}

interface Difference extends Pick<ReconciledItem, 'status' | 'there' | 'here' | 'differenceUsd'> {
  when: string
  model: string | null
}

function formatDifferences({ each, lines, items, itemsLeftOut }: Reconciliation): string {
  const found: Difference[] =
    each === 'request'
      ? items.map((item) => ({ ...item, when: formatMoment(item.at) }))
      : lines.map((line) => ({ ...line, when: line.day }))
  const differing = found.filter(({ status }) => status !== 'matched')
  if (differing.length === 0) return ''
  const shown = differing.slice(0, MAX_ITEMS)
  const usd = usdColumn(
    shown.flatMap(({ there, here, differenceUsd }) => [
      there?.costUsd ?? null,
      here?.costUsd ?? null,
      differenceUsd,
    ]),
  )
  const columns: Column<Difference>[] = [
    { title: each === 'request' ? 'TIME' : 'DAY', cell: ({ when }) => when },
    { title: 'MODEL', flexible: true, cell: ({ model }) => model ?? 'all' },
    { title: 'RESULT', cell: ({ status }) => MATCH_NAMES[status] },
    { title: 'BILLED', align: 'right', cell: ({ there }) => usd(there?.costUsd ?? null) },
    { title: 'LOGGED', align: 'right', cell: ({ here }) => usd(here?.costUsd ?? null) },
    { title: 'DIFFERENCE', align: 'right', cell: ({ differenceUsd }) => usd(differenceUsd) },
  ]
  const more = differing.length - shown.length + itemsLeftOut
  return `\n${formatTable(columns, shown)}${more > 0 ? `\n${formatCount(more)} more: --json\n` : ''}`
}

export function describeCharges({ requests }: ReconciliationSummary['open']): string {
  return pluralize(requests, 'charge')
}

export function describeChange({ changeUsd }: ReconciliationSummary['open']): string {
  return `${changeUsd > 0 ? '+' : ''}${formatUsd(changeUsd)}`
}
