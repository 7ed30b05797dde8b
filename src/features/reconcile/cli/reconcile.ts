import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { formatFields } from '../../../cli/commands/key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { formatCount, formatMoment, pluralize, usdColumn } from '../../../cli/terminal/amounts.ts'
import { confirm } from '../../../cli/terminal/confirm.ts'
import { note, print, printJson } from '../../../cli/terminal/print.ts'
import { type Column, formatTable } from '../../../cli/terminal/table.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { errorMessage, printable } from '../../../shared/values/text.ts'
import {
  MAX_EXPORT_BYTES,
  type ReconciledItem,
  type Reconciliation,
  type ReconciliationSummary,
} from '../api/reconciliations.ts'
import { MATCH_NAMES } from '../api/terms.ts'

interface ReconcileOptions extends DataOptions {
  provider?: string
  settle?: boolean
  yes?: boolean
}

export function define(command: Command): void {
  command
    .description("Compare a provider's usage or cost export with the request log, or list the comparisons.")
    .argument('[file]', 'the export, as CSV or JSON; - for stdin; without it, the comparisons are listed')
    .option('--provider <id>', 'with which requests it is compared (default: those of the vendor)')
    .option('--settle', 'then settle the uncertain charges at the amounts of the export')
    .option('-y, --yes', 'with --settle: do not ask')
    .action((file: string | undefined, options: ReconcileOptions) =>
      file === undefined ? listReports(options) : reconcile(file, options),
    )
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate reconcile openrouter_activity.csv',
      'tollgate reconcile costs.json --provider openai --settle',
      'tollgate reconcile export.csv --json | jq .differenceUsd',
    ],
    `The file is read on this computer, and only the comparison is stored. Exports of OpenAI, Anthropic and OpenRouter
are read. The exit code is 1 if something differs or is missing on either side.`,
  )
}

async function listReports(options: ReconcileOptions): Promise<void> {
  const { data } = await connect(options).call('listReconciliations')
  if (options.json) return printJson(data)
  if (data.length === 0) return note('Nothing was compared yet. Compare an export: tollgate reconcile FILE\n')
  print(formatReports(data))
}

async function reconcile(path: string, options: ReconcileOptions): Promise<void> {
  const client = connect(options)
  const file = readExport(path)
  const name = path === '-' ? 'stdin' : basename(path)
  let report = await client.call('createReconciliation', {
    file,
    query: { provider: options.provider, name: name.slice(0, 200) },
  })
  if (!options.json) print(formatReport(report))
  if (options.settle && (await mayBeSettled(report, options))) {
    report = await client.call('settleReconciliation', { params: { id: report.id } })
    if (!options.json)
      note(
        `Settled ${describeCharges(report.settled)}; spend changed by ${describeChange(report.settled)}.\n`,
      )
  }
  if (options.json) printJson(report)
  if (Object.entries(report.counts).some(([status, count]) => status !== 'matched' && count > 0))
    process.exitCode = 1
}

function readExport(path: string): Uint8Array {
  try {
    if (path !== '-' && statSync(path).size > MAX_EXPORT_BYTES) {
      throw new Error('it is larger than 64 MB. Export a shorter period')
    }
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw new Error(`The file ${printable(path)} cannot be read: ${errorMessage(error)}.`, { cause: error })
  }
}

async function mayBeSettled(
  { open }: ReconciliationSummary,
  { yes, json }: ReconcileOptions,
): Promise<boolean> {
  if (open.requests === 0) {
    if (!json) note('There is no charge to settle.\n')
    return false
  }
  const question = `Settle ${describeCharges(open)}? Spend changes by ${describeChange(open)}. This cannot be undone.`
  if (yes || (await confirm(question))) return true
  note('Not settled.\n')
  return false
}

// Comparisons with providers' exports, as the commands show them.

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
  const { formatName, rows, from, to, provider, there, here, differenceUsd, counts, each } = report
  const usd = usdColumn([there.costUsd, here.costUsd, differenceUsd])
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const what = each === 'request' ? 'requests' : 'days and models'
  const fields = formatFields([
    ['Export', `${formatName}, ${pluralize(rows, 'row')}`],
    ['Provider', provider],
    ['Days', `${from} to ${to}, in UTC`],
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
  const differences: Difference[] =
    each === 'request'
      ? items.map((item) => ({ ...item, when: formatMoment(item.at) }))
      : lines.map((line) => ({ ...line, when: line.day }))
  const differing = differences.filter(({ status }) => status !== 'matched')
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
