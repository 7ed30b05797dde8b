import { type Command, Option } from 'commander'
import type { GatewayClient } from '../../host/gateway-client.ts'
import type { RequestQuery } from '../../shared/api/request-queries.ts'
import type { RequestRecord } from '../../shared/api/requests.ts'
import { REQUEST_STATUSES } from '../../shared/api/terms.ts'
import { chooseUsdDecimals, formatUsd } from '../../shared/money/format-usd.ts'
import { printable } from '../../shared/values/text.ts'
import { formatCount, formatDuration, formatMoment } from '../terminal/amounts.ts'
import { formatJson, note, print, type Style, styled } from '../terminal/print.ts'
import { pad, truncate } from '../terminal/text.ts'
import { findKey } from './key-texts.ts'
import { addExamples, connect, type DataOptions, dataDirOption, parseCount, parseMoment } from './options.ts'

type Filter = Partial<
  Pick<RequestQuery, 'key' | 'model' | 'provider' | 'client' | 'tag' | 'session' | 'status' | 'from'>
>

interface LogOptions extends DataOptions {
  follow?: boolean
  lines: number
  key?: string
  model?: string
  provider?: string
  tool?: string
  tag?: string
  session?: string
  status?: RequestRecord['status']
  since?: string
}

const MAX_LINES = 500

export function define(command: Command): void {
  command
    .option('-f, --follow', 'go on with new requests as they end, until Ctrl-C')
    .option('-n, --lines <n>', `how many of the last requests, at most ${MAX_LINES}`, parseCount, 20)
    .option('--key <key>', 'only of this key: its name or id')
    .option('--model <id>', 'only of this model')
    .option('--provider <id>', 'only of this provider')
    .option('--tool <name>', 'only of this program')
    .option('--tag <project>', 'only of this project')
    .option('--session <id>', 'only of this session')
    .addOption(new Option('--status <status>', 'only with this status').choices(REQUEST_STATUSES))
    .option('--since <when>', 'only since then: 10m, 2h, 7d ago, or a date-time', (text: string) =>
      parseMoment(text, Date.now(), -1),
    )
    .addOption(new Option('--json', 'print the records, one line of JSON each'))
    .addOption(dataDirOption())
    .action(showLogs)
  addExamples(command, [
    'tollgate logs',
    'tollgate logs --follow',
    'tollgate logs -f --key ci --status failed',
    "tollgate logs --since 1h --json | jq -r 'select(.costUsd > 0.1) | .id'",
  ])
}

async function showLogs(options: LogOptions): Promise<void> {
  const client = connect(options)
  const filter = await toFilter(client, options)
  const show = options.json ? showJson : showLine
  const stop = new AbortController()
  // Before the list is read, so that no request is missed.
  const events = options.follow ? await client.events(stop.signal) : null
  const query = { ...filter, limit: Math.min(options.lines, MAX_LINES) }
  const { data } = await client.call('listRequests', { query })
  for (const record of data.toReversed()) show(record)
  if (!events) {
    if (data.length === 0) note('No request matches.\n')
    return
  }
  process.once('SIGINT', () => stop.abort())
  process.stdout.once('error', () => stop.abort())
  const shown = new Set(data.filter(({ status }) => status !== 'running').map(({ id }) => id))
  for await (const event of events) {
    if (event.type !== 'request' || event.request.status === 'running') continue
    if (shown.delete(event.request.id) || !matches(event.request, filter)) continue
    show(event.request)
  }
  if (!stop.signal.aborted) throw new Error('Tollgate was stopped.')
}

async function toFilter(client: GatewayClient, options: LogOptions): Promise<Filter> {
  const { model, provider, tag, session, status } = options
  const key = options.key === undefined ? undefined : (await findKey(client, options.key)).id
  return { key, model, provider, client: options.tool, tag, session, status, from: options.since }
}

/** As the list is filtered by the gateway. */
function matches(record: RequestRecord, filter: Filter): boolean {
  const { key, model, provider, client, tag, session, status } = filter
  return (
    (key === undefined || record.keyId === key) &&
    (model === undefined || record.model === model || record.requestedModel === model) &&
    (provider === undefined || record.provider === provider) &&
    (client === undefined || (record.clientName ?? '') === client) &&
    (tag === undefined || (record.tag ?? '') === tag) &&
    (session === undefined || record.sessionId === session) &&
    (status === undefined || record.status === status)
  )
}

function showJson(record: RequestRecord): void {
  print(formatJson(record))
}

const STATUS_STYLES: Readonly<Partial<Record<RequestRecord['status'], Style>>> = {
  failed: 'red',
  refused: 'yellow',
  rejected: 'yellow',
  running: 'dim',
  canceled: 'dim',
}

/** Fixed widths, as later lines are not known. */
function showLine(record: RequestRecord): void {
  const { createdAt, status, httpStatus, keyName, costUsd, tokensIn, tokensOut, timings, error } = record
  const style = STATUS_STYLES[status]
  const state = pad(httpStatus === null ? status : `${status} ${httpStatus}`, 13)
  const usd = (amount: number) => formatUsd(amount, Math.max(4, chooseUsdDecimals([amount])))
  const cost = record.worthUsd ? `worth ${usd(record.worthUsd)}` : costUsd === null ? '–' : usd(costUsd)
  const cells = [
    styled(formatMoment(createdAt), 'dim'),
    style ? styled(state, style) : state,
    cell(keyName, 16),
    cell(record.model ?? record.requestedModel ?? '–', 26),
    pad(formatCount(tokensIn), 9, 'right'),
    pad(formatCount(tokensOut), 8, 'right'),
    pad(cost, 13, 'right'),
    pad(timings.totalMs === null ? '' : formatDuration(timings.totalMs), 11, 'right'),
    printable(record.clientName ?? ''),
  ]
  const times = record.count > 1 ? ` (${record.count} times)` : ''
  const reason = error === null ? '' : `\n  ${styled(printable(error.message), 'dim')}${times}`
  print(`${chooseCells(cells).join('  ').trimEnd()}${reason}\n`)
}

/** The columns that a line takes with all its cells, and without the last two. */
const WIDTHS = { all: 134, most: 118 }

/** The cells that a terminal has room for. */
function chooseCells(cells: readonly string[]): readonly string[] {
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY
  if (width >= WIDTHS.all) return cells
  const [time = '', state = '', , model = '', , , cost = ''] = cells
  return width >= WIDTHS.most ? cells.slice(0, -2) : [time, state, model, cost]
}

function cell(text: string, width: number): string {
  return pad(truncate(printable(text), width), width)
}
