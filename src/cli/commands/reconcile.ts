import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { GatewayClient } from '../../host/gateway-client.ts'
import {
  type ExportPreview,
  MAX_EXPORT_BYTES,
  type ReconciliationSummary,
} from '../../shared/api/reconciliations.ts'
import { errorMessage, printable } from '../../shared/values/text.ts'
import { confirm } from '../terminal/confirm.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'
import { describeChange, describeCharges, formatReport, formatReports } from './reconcile-texts.ts'

interface ReconcileOptions extends DataOptions {
  provider?: string
  settle?: boolean
  yes?: boolean
  timeZone?: string
  mapping?: string
}

export function define(command: Command): void {
  command
    .description("Compare a provider's usage or cost export with the request log, or list the comparisons.")
    .argument('[file]', 'the export, as CSV or JSON; - for stdin; without it, the comparisons are listed')
    .option('--provider <id>', 'whose export it is (default: what the file says, where it is clear)')
    .option('--settle', 'then settle the uncertain charges at the amounts of the export')
    .option('-y, --yes', 'with --settle: do not ask')
    .option('--time-zone <zone>', 'the zone of days, and of times without one: UTC, Europe/Berlin')
    .option('--mapping <json>', 'which column has what, for a format that is not known')
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
    `The file is read on this computer, and only the comparison is stored. Exports of OpenAI, Anthropic, OpenRouter and Google
are known. The exit code is 1 if something differs or is missing on either side.`,
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
  const { timeZone, mapping: given } = options
  const query = {
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(given === undefined ? {} : { mapping: given }),
  }
  const preview = await client.call('previewExport', { file, query })
  const mapping = usableMapping(preview, options)
  const provider = options.provider ?? (await guessProvider(client, preview))
  const name = path === '-' ? 'stdin' : basename(path)
  let report = await client.call('createReconciliation', {
    file,
    query: { ...query, ...mapping, provider, name: name.slice(0, 200) },
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

/** A known format needs none. Guesses are used for a comparison, but no charge is settled by them. Throws for the user. */
function usableMapping(
  { format, mapping, problem, columns }: ExportPreview,
  options: ReconcileOptions,
): { mapping?: string } {
  if (problem !== null) throw new Error(problem)
  if (format !== null || options.mapping !== undefined) return {}
  if (mapping === null) {
    throw new Error(
      `The format is not known. Say with --mapping which of these columns has what: ${columns.map(printable).join(', ')}`,
    )
  }
  const text = JSON.stringify(mapping)
  if (options.settle)
    throw new Error(`The format is not known. Check what its names suggest, and give it: --mapping '${text}'`)
  note(`The format is not known; the names of the columns suggest --mapping '${text}'\n`)
  return { mapping: text }
}

async function guessProvider(client: GatewayClient, { vendor }: ExportPreview): Promise<string> {
  const { data } = await client.call('listProviders')
  const configured = data.filter((each) => each.configured && each.id !== 'sandbox').map(({ id }) => id)
  const [only, ...others] = configured
  const found = configured.find((id) => id === vendor) ?? (others.length === 0 ? only : undefined)
  if (found !== undefined) return found
  throw new Error(
    configured.length === 0
      ? 'There is no provider whose export it could be. Add one first.'
      : `Say whose export it is: --provider with one of ${configured.join(', ')}`,
  )
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
