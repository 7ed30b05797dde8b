import { type Command, InvalidArgumentError } from 'commander'
import { formatFields } from '../../../cli/commands/key-texts.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { formatCount, formatDuration, formatMoment } from '../../../cli/terminal/amounts.ts'
import { print, printJson } from '../../../cli/terminal/print.ts'
import { type Column, formatTable } from '../../../cli/terminal/table.ts'
import { BILLED_NAMES } from '../../../shared/money/billed-names.ts'
import { exactUsdDecimals, formatUsd } from '../../../shared/money/format-usd.ts'
import { NANO_PER_USD } from '../../../shared/money/money.ts'
import {
  type AnyReceipt,
  describeChange,
  RECEIPT_FORMAT,
  type Receipt,
  type SumReceipt,
} from '../api/receipts.ts'

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

interface Line {
  item: string
  count: string
  usd: number | null
}

function formatReceipt(receipt: AnyReceipt): string {
  const text = receipt.format === RECEIPT_FORMAT ? formatCharge(receipt) : formatSum(receipt)
  return `${text}\nIssued ${formatMoment(receipt.issuedAt)}\n`
}

function formatSum({ of, lines, total }: SumReceipt): string {
  const decimals = exactUsdDecimals([...lines, total].map(({ nano }) => nano / NANO_PER_USD))
  const sum = { model: 'Total', provider: '', ...total, tokensIn: null, tokensOut: null }
  const formatTokens = (count: number | null) => (count === null ? '' : formatCount(count))
  return [
    formatFields(
      of.kind === 'month'
        ? [['Receipt', `${of.month}, ${of.timeZone}${of.over ? '' : ', not over yet'}`]]
        : [
            ['Receipt', of.id],
            ['Began', formatMoment(of.startedAt)],
            ['Ended', formatMoment(of.lastAt)],
            ['Key', of.names?.key ?? null],
            ['Client', of.names?.client ?? null],
            ['Project', of.names?.tag ?? null],
          ],
    ),
    formatFields([
      ['Unpriced', total.unpriced === 0 ? null : `${formatCount(total.unpriced)} requests, not in the sum`],
      ['Unsettled', total.unsettled === 0 ? null : `${formatCount(total.unsettled)} requests`],
    ]),
    '\n',
    formatTable(
      [
        { title: 'MODEL', flexible: true, cell: ({ model }) => model || 'deleted requests' },
        { title: 'PROVIDER', cell: ({ provider }) => provider },
        { title: 'REQUESTS', align: 'right', cell: ({ requests }) => formatCount(requests) },
        { title: 'IN', align: 'right', cell: ({ tokensIn }) => formatTokens(tokensIn) },
        { title: 'OUT', align: 'right', cell: ({ tokensOut }) => formatTokens(tokensOut) },
        { title: 'USD', align: 'right', cell: ({ nano }) => formatUsd(nano / NANO_PER_USD, decimals) },
      ],
      [...lines, sum],
    ),
  ].join('')
}

function formatCharge({ request, cost, price, timings, attempts }: Receipt): string {
  const { model, requestedModel, names } = request
  const asked = model !== null && requestedModel !== model ? ` (requested as ${requestedModel})` : ''
  return [
    formatFields([
      ['Receipt', request.id],
      ['Made', formatMoment(request.createdAt)],
      ['Request', request.endpoint],
      ['Key', names?.key ?? null],
      ['Client', names?.client ?? null],
      ['Project', names?.tag ?? null],
      ['Model', `${model ?? requestedModel ?? 'none'}${asked}`],
      ['Provider', request.provider],
      ...request.changes.map((change): [string, string] => ['Rule', describeChange(change)]),
      ['Outcome', `${request.status}${request.httpStatus === null ? '' : `, HTTP ${request.httpStatus}`}`],
      ['Attempts', attempts.length > 1 ? formatCount(attempts.length) : null],
      ['Time', timings.totalMs === null ? null : formatDuration(timings.totalMs)],
      ['Price', price ? describePrice(price) : null],
      ['Certainty', describeCertainty(cost)],
    ]),
    '\n',
    formatTable(listColumns(cost), listLines(cost)),
  ].join('')
}

function describePrice({ origin, tier, reportedByProvider }: NonNullable<Receipt['price']>): string {
  const from = reportedByProvider ? 'reported by the provider' : `${origin.source}, ${origin.match}`
  const asOf = reportedByProvider || origin.asOf === null ? '' : `, ${origin.asOf}`
  return `${from}${asOf}${tier === null ? '' : `, tier ${tier}`}`
}

function describeCertainty({ status, lowNano, highNano, confirmation }: Receipt['cost']): string {
  if (confirmation) {
    const by = confirmation.by === 'user' ? 'by the user' : 'from the provider’s export'
    const previousUsd = formatUsd(confirmation.beforeNano / NANO_PER_USD)
    return `confirmed ${by}, ${formatMoment(confirmation.at)}; before: ${confirmation.from}, ${previousUsd}`
  }
  if (status !== 'unsettled' || lowNano === null || highNano === null) return status
  return `unsettled, between ${formatUsd(lowNano / NANO_PER_USD)} and ${formatUsd(highNano / NANO_PER_USD)}`
}

function listLines(cost: Receipt['cost']): Line[] {
  const usd = (nano: string | null) => (nano === null ? null : Number(nano) / NANO_PER_USD)
  const lines = cost.lines.map(({ billed, count, perMillionNano, nano }): Line => {
    const [item, unit] = BILLED_NAMES[billed]
    const rate = perMillionNano === null ? null : (perMillionNano / NANO_PER_USD) * (unit.per / 1e6)
    const times = rate === null ? '' : ` × ${formatUsd(rate)} per ${unit.perName}`
    return { item, count: `${formatCount(count)} ${unit.name}${times}`, usd: usd(nano) }
  })
  const others: [string, string, string | null][] = [
    ['Reported', 'by the provider', cost.reportedNano],
    ['Discount', `${cost.discount?.percent}%`, cost.discount?.nano ?? null],
    [cost.lines.length === 0 ? 'Charge' : 'Other', '', cost.otherNano],
    ['Rounding', 'to a nano-dollar', cost.roundingNano],
  ]
  const more = others.flatMap(([item, count, nano]) =>
    nano === null ? [] : [{ item, count, usd: usd(nano) }],
  )
  return [...lines, ...more, { item: 'Total', count: '', usd: cost.usd }]
}

function listColumns(cost: Receipt['cost']): Column<Line>[] {
  const decimals = exactUsdDecimals(listLines(cost).flatMap(({ usd }) => usd ?? []))
  return [
    { title: 'ITEM', cell: ({ item }) => item },
    { title: 'COUNT', flexible: true, cell: ({ count }) => count },
    {
      title: 'USD',
      align: 'right',
      cell: ({ item, usd }) =>
        usd === null ? (item === 'Total' ? 'unknown' : '') : formatUsd(usd, decimals),
    },
  ]
}
