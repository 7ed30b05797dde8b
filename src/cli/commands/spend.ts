import { type Command, Option } from 'commander'
import type { GatewayClient } from '../../host/gateway-client.ts'
import { GIT_GROUPS, USAGE_SPLITS } from '../../shared/api/terms.ts'
import type { Usage } from '../../shared/api/usage.ts'
import { formatUsd } from '../../shared/money/format-usd.ts'
import { daySpan, monthSpan, type Span, weekSpan } from '../../shared/values/calendar.ts'
import { formatCount, usageColumns } from '../terminal/amounts.ts'
import { print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

const GROUPS = [...USAGE_SPLITS, ...GIT_GROUPS]
type Group = (typeof GROUPS)[number]

const PERIODS: Readonly<Record<string, (instant: number, zone: string) => Span>> = {
  today: daySpan,
  week: weekSpan,
  month: monthSpan,
}

/** The window calls programs that call the gateway tools. */
const TOOL = 'tool'
const groups = GROUPS.map((group) => (group === 'client' ? TOOL : group))

interface SpendOptions extends DataOptions {
  by: string
}

export function define(command: Command): void {
  command
    .addArgument(
      command
        .createArgument('[period]', 'what is divided; without it, the sums of all three')
        .choices(Object.keys(PERIODS)),
    )
    .addOption(new Option('--by <what>', 'what it is divided by').choices(groups).default('key'))
    .action(async (period: string | undefined, options: SpendOptions) => {
      const client = connect(options)
      return period === undefined ? printSums(client, options) : printPeriod(client, period, options)
    })
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate spend',
      'tollgate spend today',
      'tollgate spend month --by model',
      'tollgate spend week --by tag --json',
      'tollgate spend month --by branch',
    ],
    'Days, weeks (from Monday) and months are those of the time zone in Settings.',
  )
}

async function readPeriod(client: GatewayClient, period: string, by: string): Promise<Usage> {
  const { timeZone } = await client.call('getAccount')
  const span = PERIODS[period]?.(Date.now(), timeZone)
  if (!span) throw new Error(`there is no period ${period}`)
  return client.call('getUsage', {
    query: { from: new Date(span.start).toISOString(), groupBy: toGroup(by) },
  })
}

function toGroup(by: string): Group {
  return GROUPS.find((group) => group === by) ?? 'client'
}

async function printSums(client: GatewayClient, { json }: SpendOptions): Promise<void> {
  const names = Object.keys(PERIODS)
  const [account, ...usages] = await Promise.all([
    client.call('getAccount'),
    ...names.map((period) => readPeriod(client, period, 'key')),
  ])
  if (json) {
    const sums = names.map((name, index) => [name, usages[index]?.total])
    return printJson({ ...Object.fromEntries(sums), monthlyLimitUsd: account.monthlyLimitUsd })
  }
  const titles: Readonly<Record<string, string>> = { today: 'Today', week: 'This week', month: 'This month' }
  const rows = usages.map(({ total }, index) => ({ ...total, name: titles[names[index] ?? ''] ?? '' }))
  print(formatTable([{ title: '', cell: ({ name }) => name }, ...usageColumns(rows)], rows))
  const limit = account.monthlyLimitUsd
  if (limit === null) return
  const left = Math.max(0, limit - account.monthSpendUsd)
  print(`\n${formatUsd(left)} left of the monthly limit of ${formatUsd(limit)}.\n`)
}

async function printPeriod(client: GatewayClient, period: string, { by, json }: SpendOptions): Promise<void> {
  const usage = await readPeriod(client, period, by)
  if (json) return printJson(usage)
  const { data, total } = usage
  const none = GIT_GROUPS.some((group) => group === by) ? 'Not attributed' : '–'
  const rows = [...data, { ...total, label: 'Total' }]
  const columns: Column<(typeof rows)[number]>[] = [
    { title: by.toUpperCase(), flexible: true, cell: ({ label }) => label || none },
    ...usageColumns(rows),
  ]
  print(formatTable(columns, rows))
  if (total.unpriced > 0) print(`\n${formatCount(total.unpriced)} without a price are not in the cost.\n`)
}
