// `tollgate import`: the gateway imports the logs of agents. A dry run reads them in this process, and needs no gateway.
import { homedir } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import type { ToolHistory } from '../../gateway/compose/offline-api.ts'
import { HISTORY_TOOLS, type HistoryTool } from '../../shared/api/history-tools.ts'
import { dayName, dayStart, systemTimeZone } from '../../shared/values/calendar.ts'
import { shellPath } from '../../shared/values/text.ts'
import { formatCount, pluralize, usdColumn } from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

interface ImportOptions extends DataOptions {
  since?: string
  dryRun?: boolean
}

export function define(command: Command): void {
  command
    .addArgument(command.createArgument('[tool]', 'one tool; without it, all').choices(HISTORY_TOOLS))
    .option('--since <date>', 'only calls since this day: 2026-11-01', parseDay)
    .option('--dry-run', 'only show what the logs have; needs no gateway')
    .action((tool: HistoryTool | undefined, options: ImportOptions) =>
      options.dryRun ? showHistory(tool, options) : importHistory(tool, options),
    )
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate import', 'tollgate import claude-code --since 2026-11-01', 'tollgate import --dry-run --json'],
    `The logs are only read. Costs are at the list prices of the day of each call, whatever a plan has cost, and count under no limit.`,
  )
}

async function importHistory(tool: HistoryTool | undefined, options: ImportOptions): Promise<void> {
  const { since, json } = options
  const client = connect(options)
  const stop = new AbortController()
  // Before the import starts, so that its end is not missed.
  const events = await client.events(stop.signal)
  const from = since === undefined ? undefined : new Date(dayStart(since, systemTimeZone())).toISOString()
  await client.call('importHistory', { body: { tool, since: from } })
  process.once('SIGINT', () => void client.call('cancelHistoryImport'))
  for await (const event of events) if (event.type === 'history' && event.running === null) break
  stop.abort()
  const { last, imported } = await client.call('getHistory')
  if (json) printJson({ ...last, imported })
  else print(`${last?.summary ?? ''}\n`)
  if (last?.outcome !== 'done') process.exitCode = 1
}

function parseDay(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text
  throw new InvalidArgumentError('Give a day such as 2026-11-01.')
}

async function showHistory(tool: HistoryTool | undefined, { since, json }: ImportOptions): Promise<void> {
  // Completion and help load this file: neither needs the readers.
  const { readHistory } = await import('../../gateway/compose/offline-api.ts')
  const zone = systemTimeZone()
  const histories = await readHistory({
    home: homedir(),
    env: process.env,
    tool,
    since: since === undefined ? undefined : dayStart(since, zone),
  })
  if (json) return printJson(histories)
  note(
    'Reads token counts in the logs of agents. No prompt or answer is kept or shown, and nothing is sent.\n\n',
  )
  print(formatHistories(histories, zone))
}

function formatHistories(histories: readonly ToolHistory[], zone: string): string {
  const used = histories.filter(({ calls }) => calls > 0)
  const lines = [
    ...histories.flatMap(listNotCounted),
    ...used.flatMap(listUnpriced),
    ...histories.flatMap(listComparison),
  ]
  const table =
    used.length > 0
      ? formatTable(listColumns(used, zone), [...used, ...(used.length > 1 ? [sumHistories(used)] : [])])
      : ['No calls were found in', ...histories.flatMap(({ places }) => places.map(shellPath))].join('\n  ')
  return `${table.trimEnd()}\n${lines.length > 0 ? '\n' : ''}${lines.map((line) => `${line}\n`).join('')}`
}

type Row = Pick<ToolHistory, 'name' | 'calls' | 'firstAt' | 'lastAt' | 'tokens' | 'costUsd' | 'unpricedCalls'>

function listColumns(histories: readonly Row[], zone: string): Column<Row>[] {
  const usd = usdColumn([sumHistories(histories), ...histories].map(({ costUsd }) => costUsd))
  const day = (at: string | null) => (at === null ? '' : dayName(Date.parse(at), zone))
  return [
    { title: 'TOOL', flexible: true, cell: ({ name }) => name },
    { title: 'CALLS', align: 'right', cell: ({ calls }) => formatCount(calls) },
    { title: 'FIRST', cell: ({ firstAt }) => day(firstAt) },
    { title: 'LAST', cell: ({ lastAt }) => day(lastAt) },
    { title: 'INPUT', align: 'right', cell: ({ tokens }) => formatCount(tokens.input) },
    { title: 'CACHED', align: 'right', cell: ({ tokens }) => formatCount(tokens.cacheRead) },
    {
      title: 'CACHE WRITES',
      align: 'right',
      optional: true,
      cell: ({ tokens }) => formatCount(tokens.cacheWrite5m + tokens.cacheWrite1h),
    },
    { title: 'OUTPUT', align: 'right', cell: ({ tokens }) => formatCount(tokens.output) },
    {
      title: 'LIST PRICE',
      align: 'right',
      cell: ({ calls, unpricedCalls, costUsd }) => usd(calls === unpricedCalls ? null : costUsd),
    },
  ]
}

function sumHistories(histories: readonly Row[]): Row {
  const sum = (get: (row: Row) => number) => histories.reduce((total, row) => total + get(row), 0)
  const times = histories.flatMap(({ firstAt, lastAt }) => [firstAt ?? [], lastAt ?? []].flat()).sort()
  return {
    name: 'Total',
    calls: sum(({ calls }) => calls),
    firstAt: times.at(0) ?? null,
    lastAt: times.at(-1) ?? null,
    tokens: {
      input: sum(({ tokens }) => tokens.input),
      cacheRead: sum(({ tokens }) => tokens.cacheRead),
      cacheWrite5m: sum(({ tokens }) => tokens.cacheWrite5m),
      cacheWrite1h: sum(({ tokens }) => tokens.cacheWrite1h),
      output: sum(({ tokens }) => tokens.output),
      reasoning: sum(({ tokens }) => tokens.reasoning),
    },
    costUsd: sum(({ costUsd }) => costUsd),
    unpricedCalls: sum(({ unpricedCalls }) => unpricedCalls),
  }
}

function listNotCounted({ name, notCounted }: ToolHistory): string[] {
  return notCounted.map(({ count, tokens, noun, because }) => {
    const tokenNote = tokens > 0 ? ` (${pluralize(tokens, 'token')})` : ''
    return `${name}: ${pluralize(count, noun)}${tokenNote} not counted, because ${because}.`
  })
}

function listUnpriced({ name, unpricedCalls, models }: ToolHistory): string[] {
  if (unpricedCalls === 0) return []
  const names = models.filter((model) => model.unpricedCalls > 0).map(({ model }) => model)
  const few = names.slice(0, 3).join(', ')
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return [
    `${name}: ${pluralize(unpricedCalls, 'call')} without a known price not in the cost (${few}${more}).`,
  ]
}

/** The difference to the totals that the tool states itself. */
function listComparison({ name, comparison }: ToolHistory): string[] {
  if (!comparison) return []
  const { sessions, statedTokens, countedTokens } = comparison
  const difference = statedTokens - countedTokens
  const of = `its own totals of ${pluralize(sessions, 'session')}`
  if (difference === 0) return [`${name}: ${of} are the same.`]
  return [
    `${name}: ${of} have ${pluralize(Math.abs(difference), 'token')} ${difference > 0 ? 'more' : 'less'} than its calls here.`,
  ]
}
