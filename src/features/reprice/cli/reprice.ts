import type { Command } from 'commander'
import { findKey, formatFields } from '../../../cli/commands/key-texts.ts'
import {
  addDataOptions,
  addExamples,
  connect,
  type DataOptions,
  parseCount,
  parseMoment,
} from '../../../cli/commands/options.ts'
import { formatCount, pluralize, usdColumn } from '../../../cli/terminal/amounts.ts'
import { note, print, printJson } from '../../../cli/terminal/print.ts'
import { type Column, formatTable } from '../../../cli/terminal/table.ts'
import type { GatewayClient } from '../../../host/gateway-client.ts'
import { formatUsd } from '../../../shared/money/format-usd.ts'
import { monthSpan } from '../../../shared/values/calendar.ts'
import type { RepricedModel, RepricedPart, Repricing, RepricingQuery } from '../api/repricing.ts'
import { OBSTACLES } from '../api/terms.ts'

interface RepriceOptions extends DataOptions {
  lastMonth?: boolean
  since?: string
  key?: string
  tool?: string
  served?: string
  tag?: string
  lines: number
}

const ago = (text: string) => parseMoment(text, Date.now(), -1)

export function define(command: Command): void {
  command
    .description('What the requests in the log would have cost with other models.')
    .argument('[model]', 'only this model, with its costs by key and tool')
    .option('--since <when>', 'requests since then: 2h, 7d, 4w ago, or a date-time (default: 30d)', ago)
    .option('--last-month', 'requests of the last calendar month')
    .option('--key <key>', 'only of this key: its name or id')
    .option('--tool <name>', 'only of this program')
    .option('--served <model>', 'only those that this model has served')
    .option('--tag <project>', 'only of this project')
    .option('-n, --lines <n>', 'how many models', parseCount, 20)
    .action(reprice)
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate reprice --last-month',
      'tollgate reprice --since 7d --tool "Claude Code"',
      'tollgate reprice claude-haiku-4-5 --served claude-sonnet-5',
    ],
    `Each request counts only for the models that could have served it. COST has as much read from and written to a cache as
there was, UNCACHED nothing: the truth lies between them.`,
  )
}

async function reprice(model: string | undefined, options: RepriceOptions): Promise<void> {
  const client = connect(options)
  const repricing = await client.call('getRepricing', { query: await toQuery(client, model, options) })
  if (options.json) return printJson(repricing)
  const { requests, chargedUsd, data } = repricing
  if (requests === 0) return note(`No request can be priced.${describeOthers(repricing)}\n`)
  print(
    `${pluralize(requests, 'request')}, charged ${formatUsd(chargedUsd)}.${describeOthers(repricing)}\n\n`,
  )
  const [only] = data
  if (model === undefined) printModels(data, options.lines)
  else if (only) printModel(only)
}

async function toQuery(
  client: GatewayClient,
  model: string | undefined,
  { since, lastMonth, key, tool, served, tag }: RepriceOptions,
): Promise<RepricingQuery> {
  return {
    ...(lastMonth ? await readLastMonth(client) : { from: since ?? ago('30d') }),
    key: key === undefined ? undefined : (await findKey(client, key)).id,
    client: tool,
    model: served,
    tag,
    candidate: model,
  }
}

async function readLastMonth(client: GatewayClient): Promise<Pick<RepricingQuery, 'from' | 'to'>> {
  const { timeZone } = await client.call('getAccount')
  const { start: end } = monthSpan(Date.now(), timeZone)
  const { start } = monthSpan(end - 1, timeZone)
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}

function describeOthers({ unpriced, others }: Repricing): string {
  const left = [
    ...(unpriced > 0 ? [`${formatCount(unpriced)} without a charge`] : []),
    ...(others.requests > 0 ? [`${formatCount(others.requests)} that are no chats`] : []),
  ]
  return left.length > 0 ? ` Left out: ${left.join(', ')}.` : ''
}

type Sums = Pick<RepricedPart, 'requests' | 'served' | 'chargedUsd' | 'costUsd' | 'uncachedUsd'>

function listColumns<Row extends Sums>(rows: readonly Row[]): Column<Row>[] {
  const usd = usdColumn(rows.flatMap((row) => [row.chargedUsd, row.costUsd, row.uncachedUsd]))
  return [
    { title: 'REQUESTS', align: 'right', cell: ({ served }) => formatCount(served) },
    { title: 'CHARGED', align: 'right', cell: ({ chargedUsd }) => usd(chargedUsd) },
    { title: 'COST', align: 'right', cell: ({ costUsd }) => usd(costUsd) },
    { title: 'UNCACHED', optional: true, align: 'right', cell: ({ uncachedUsd }) => usd(uncachedUsd) },
    { title: 'CHANGE', align: 'right', cell: describeChange },
  ]
}

/** The change of the cost relative to the charge, such as `-76%`; with a cache. */
function describeChange({ chargedUsd, costUsd }: Sums): string {
  if (chargedUsd === 0) return '–'
  const percent = Math.round((costUsd / chargedUsd - 1) * 100)
  return `${percent > 0 ? '+' : ''}${percent}%`
}

function printModels(models: readonly RepricedModel[], lines: number): void {
  const able = models.filter(({ served }) => served > 0)
  const shown = able.slice(0, lines)
  const name: Column<RepricedModel> = { title: 'MODEL', flexible: true, cell: ({ model }) => model }
  const provider: Column<RepricedModel> = { title: 'PROVIDER', optional: true, cell: (row) => row.provider }
  print(formatTable([name, provider, ...listColumns(shown)], shown))
  if (able.length > shown.length)
    note(`\n${pluralize(able.length - shown.length, 'more model')}: -n ${able.length}\n`)
}

function printModel(repriced: RepricedModel): void {
  const { model, provider, requests, served, obstacles, unchecked, limitsKnown } = repriced
  print(
    formatFields([
      ['Model', `${model} (${provider})`],
      ['Could serve', `${formatCount(served)} of ${formatCount(requests)}`],
      [
        'Assumed',
        unchecked > 0 ? `${formatCount(unchecked)} were recorded without what they asked for` : null,
      ],
      ['Limits', limitsKnown ? null : 'its context window or capabilities are not known'],
      ...obstacles.map(
        ({ reason, requests: count }) => ['Could not', `${formatCount(count)} ${OBSTACLES[reason]}`] as const,
      ),
    ]),
  )
  const parts = [
    ['KEY', repriced.byKey],
    ['TOOL', repriced.byClient],
  ] as const
  for (const [title, rows = []] of parts) {
    const total = { ...repriced, label: 'Total' }
    const all: (Sums & { label: string })[] = [...rows, total]
    const label: Column<Sums & { label: string }> = {
      title,
      flexible: true,
      cell: (each) => each.label || '–',
    }
    print(`\n${formatTable([label, ...listColumns(all)], all)}`)
  }
}
