import { type Command, InvalidArgumentError } from 'commander'
import { formatFields } from '../../../cli/commands/key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { formatCount, formatDuration, formatMoment } from '../../../cli/terminal/amounts.ts'
import { print, printJson } from '../../../cli/terminal/print.ts'
import { formatTable } from '../../../cli/terminal/table.ts'
import { exactUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import { describeReceipt, type Fact, type Formats } from '../api/describe-receipt.ts'
import { type AnyReceipt, RECEIPT_FORMAT } from '../api/receipts.ts'

interface ReceiptOptions extends DataOptions {
  session?: string
  month?: string
  names?: boolean
}

export function define(command: Command): void {
  command
    .argument('[id]', 'the id of the request')
    .option('--session <id>', 'what a session cost')
    .option('--month <yyyy-mm>', 'what a month cost, so far')
    .option('--names', 'with the names of the key, the calling program and the project')
    .action(runReceipt)
  addDataOptions(command)
  addExamples(command, [
    'tollgate receipt req_0198… --json > receipt.json',
    'tollgate receipt --month 2026-11 --json > november.json',
  ])
}

async function runReceipt(id: string | undefined, options: ReceiptOptions): Promise<void> {
  const { session, month } = options
  if ([id, session, month].filter((one) => one !== undefined).length !== 1) {
    throw new InvalidArgumentError('Give one of the id of a request, --session and --month.')
  }
  const query = { names: options.names ? ('true' as const) : ('false' as const) }
  const gateway = connect(options)
  const receipt =
    id === undefined
      ? await gateway.call('getSumReceipt', {
          query: { ...query, ...(session === undefined ? { month } : { session }) },
        })
      : await gateway.call('getReceipt', { params: { id }, query })
  if (options.json) return printJson(receipt)
  print(formatReceipt(receipt))
}

const formats: Formats = {
  count: formatCount,
  moment: formatMoment,
  span: (from, to) => `${formatMoment(from)} – ${formatMoment(to)}`,
  month: (month) => month,
  duration: formatDuration,
  origin: ({ source, match, asOf }) => `${source}, ${match}${asOf === null ? '' : `, ${asOf}`}`,
}

function formatReceipt(receipt: AnyReceipt): string {
  const { id, time, facts, lines, totalLabel, totalUsd, notes, details } = describeReceipt(receipt, formats)
  const decimals = exactUsdDecimals([...lines, { usd: totalUsd }].map(({ usd }) => usd ?? 0))
  const total = { label: totalLabel, note: '', usd: totalUsd }
  return [
    formatFields([
      ['Receipt', id],
      ['Time', time],
      ...facts,
      ...details,
      ...(receipt.format === RECEIPT_FORMAT ? [['Certainty', receipt.cost.status] as const] : []),
      ...notes.map((note): Fact => ['Note', note]),
    ]),
    '\n',
    formatTable(
      [
        { title: 'ITEM', cell: ({ label }) => label },
        { title: 'COUNT', flexible: true, cell: ({ note }) => note },
        {
          title: 'USD',
          align: 'right',
          cell: (line) =>
            line.usd === null ? (line === total ? 'unknown' : '') : formatUsd(line.usd, decimals),
        },
      ],
      [...lines, total],
    ),
    `\nIssued ${formatMoment(receipt.issuedAt)}\n`,
  ].join('')
}
