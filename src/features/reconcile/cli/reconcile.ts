import { readFileSync, statSync } from 'node:fs'
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
  type Charges,
  MAX_EXPORT_BYTES,
  type ReconciledDay,
  type ReconciledRequest,
  type Reconciliation,
} from '../api/reconciliations.ts'
import { MATCH_NAMES } from '../api/terms.ts'

interface ReconcileOptions extends DataOptions {
  provider?: string
  settle?: boolean
  yes?: boolean
}

export function define(command: Command): void {
  command
    .description("Compare a provider's usage or cost export with the request log.")
    .argument('<file>', 'the export, as CSV or JSON; - for stdin')
    .option('--provider <id>', 'with which requests it is compared (default: those of the vendor)')
    .option('--settle', 'then settle the uncertain charges at the amounts of the export')
    .option('-y, --yes', 'with --settle: do not ask')
    .action(reconcile)
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate reconcile openrouter_activity.csv',
      'tollgate reconcile costs.json --provider openai --settle',
      'tollgate reconcile export.csv --json | jq .differenceUsd',
    ],
    `The file is read on this computer and not stored. Exports of OpenAI, Anthropic and OpenRouter are read. The exit code is 1 if
something differs or is missing on either side.`,
  )
}

async function reconcile(path: string, options: ReconcileOptions): Promise<void> {
  const client = connect(options)
  const file = readExport(path)
  const { provider } = options
  let report = await client.call('reconcile', { file, query: { provider } })
  if (!options.json) print(formatReport(report))
  if (options.settle && (await mayBeSettled(report, options))) {
    report = await client.call('reconcile', { file, query: { provider, settle: 'true' } })
    if (!options.json) note(`Settled ${describe(report.settled)}.\n`)
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

async function mayBeSettled({ open }: Reconciliation, { yes, json }: ReconcileOptions): Promise<boolean> {
  if (open.requests === 0) {
    if (!json) note('There is no charge to settle.\n')
    return false
  }
  if (yes || (await confirm(`Settle ${describe(open)}? This cannot be undone.`))) return true
  note('Not settled.\n')
  return false
}

/** How many charges, and by how much spend changes with them. */
function describe({ requests, changeUsd }: Charges): string {
  const change = `${changeUsd > 0 ? '+' : ''}${formatUsd(changeUsd)}`
  return `${pluralize(requests, 'charge')}, which changes spend by ${change}`
}

function formatReport(report: Reconciliation): string {
  const { formatName, rows, from, to, provider, there, here, differenceUsd, counts, counted, open } = report
  const usd = usdColumn([there.costUsd, here.costUsd, differenceUsd])
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const what = counted === 'request' ? 'requests' : 'days and models'
  const fields = formatFields([
    ['Export', `${formatName}, ${pluralize(rows, 'row')}`],
    ['Provider', provider],
    ['Days', `${from} to ${to}, in UTC`],
    ['Billed', there.costUsd === null ? 'the export has no costs' : usd(there.costUsd)],
    ['Logged', usd(here.costUsd)],
    ['Difference', differenceUsd === null ? 'unknown' : usd(differenceUsd)],
    ['Matching', `${formatCount(counts.matched ?? 0)} of ${formatCount(all)} ${what}`],
    ...report.notes.map((text) => ['Note', text] as const),
    ['To settle', open.requests === 0 ? null : `${describe(open)}: --settle`],
  ])
  return `${fields}${formatDifferences(report)}`
}

/** Further ones are in the window and in JSON. */
const MAX_LINES = 50

type Line = ReconciledDay | ReconciledRequest

function formatDifferences({ counted, days, requests, requestsLeftOut }: Reconciliation): string {
  const differing = (counted === 'request' ? requests : days).filter(({ status }) => status !== 'matched')
  if (differing.length === 0) return ''
  const shown: Line[] = differing.slice(0, MAX_LINES)
  const costs = shown.flatMap(({ there, here, differenceUsd }) => [
    there?.costUsd ?? null,
    here?.costUsd ?? null,
    differenceUsd,
  ])
  const usd = usdColumn(costs)
  const columns: Column<Line>[] = [
    {
      title: counted === 'request' ? 'TIME' : 'DAY',
      cell: (line) => ('at' in line ? formatMoment(line.at) : line.day),
    },
    { title: 'MODEL', flexible: true, cell: ({ model }) => model ?? 'all' },
    { title: 'RESULT', cell: ({ status }) => MATCH_NAMES[status] },
    { title: 'BILLED', align: 'right', cell: ({ there }) => usd(there?.costUsd ?? null) },
    { title: 'LOGGED', align: 'right', cell: ({ here }) => usd(here?.costUsd ?? null) },
    { title: 'DIFFERENCE', align: 'right', cell: ({ differenceUsd }) => usd(differenceUsd) },
  ]
  const more = differing.length - shown.length + requestsLeftOut
  return `\n${formatTable(columns, shown)}${more > 0 ? `\n${formatCount(more)} more: --json\n` : ''}`
}
