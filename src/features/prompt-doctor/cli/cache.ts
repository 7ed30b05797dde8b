import type { Command } from 'commander'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { formatCount, usdColumn } from '../../../cli/terminal/amounts.ts'
import { print, printJson } from '../../../cli/terminal/print.ts'
import { formatTable } from '../../../cli/terminal/table.ts'
import { daySpan, monthSpan, type Span, weekSpan } from '../../../shared/values/calendar.ts'
import { PROMPT_PARTS } from '../api/terms.ts'
import { CAUSE_NAMES, describeCache, describeTools, formatShare, PART_NAMES } from '../api/texts.ts'

const PERIODS: Readonly<Record<string, (instant: number, zone: string) => Span>> = {
  today: daySpan,
  week: weekSpan,
  month: monthSpan,
}

interface CacheOptions extends DataOptions {
  session?: string
}

export function define(command: Command): void {
  command
    .addArgument(
      command
        .createArgument('[period]', 'the time that is reported')
        .choices(Object.keys(PERIODS))
        .default('month'),
    )
    .option('--session <id>', 'only one session, whenever it was')
    .action(async (period: string, options: CacheOptions) => printCaching(period, options))
  addDataOptions(command)
  addExamples(
    command,
    [
      'tollgate cache',
      'tollgate cache week',
      'tollgate cache --session ses_0123456789abcdef0123456789abcdef',
      'tollgate cache --json',
    ],
    'Prompts of less than 1,024 tokens are not counted: providers do not cache them.',
  )
}

async function printCaching(period: string, options: CacheOptions): Promise<void> {
  const { session, json } = options
  const client = connect(options)
  const { timeZone } = await client.call('getAccount')
  const span = PERIODS[period]?.(Date.now(), timeZone)
  const from = span ? { from: new Date(span.start).toISOString() } : {}
  const report = await client.call('getCaching', { query: session === undefined ? from : { session } })
  if (json) return printJson(report)
  if (report.requests === 0) return print('No prompt in this time was long enough for a cache.\n')
  print(`${describeCache(report)}\n\n`)
  const parts = PROMPT_PARTS.map((part) => ({ name: PART_NAMES[part], ...report.parts[part] }))
  const usd = usdColumn([...parts.map((part) => part.usd), ...report.causes.map(({ lostUsd }) => lostUsd)])
  print(
    formatTable(
      [
        { title: 'PART', cell: ({ name }) => name },
        { title: 'SHARE', align: 'right', cell: ({ share }) => formatShare(share) },
        { title: 'COST', align: 'right', cell: (part) => usd(part.usd) },
      ],
      parts,
    ),
  )
  const tools = describeTools(report)
  if (tools !== null) print(`\n${tools}\n`)
  if (report.causes.length === 0) return
  print('\n')
  print(
    formatTable(
      [
        { title: 'BREAK', cell: ({ cause }) => CAUSE_NAMES[cause] },
        { title: 'TIMES', align: 'right', cell: ({ breaks }) => formatCount(breaks) },
        { title: 'LOST', align: 'right', cell: ({ lostUsd }) => usd(lostUsd) },
      ],
      report.causes,
    ),
  )
  for (const { cause, advice } of report.causes) print(`\n${CAUSE_NAMES[cause]}: ${advice}\n`)
}
