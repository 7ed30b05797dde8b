import type { Command } from 'commander'
import type { ProviderRecord } from '../../shared/api/providers.ts'
import { formatCount, formatDuration } from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, connect, type DataOptions, rejectOtherNames } from './options.ts'

interface ProviderOptions extends DataOptions {
  all?: boolean
}

export function define(command: Command): void {
  const list = command
    .command('list', { isDefault: true })
    .description('List the providers.')
    .option('--all', 'also those that are not set up')
    .action(listProviders)
  const test = command
    .command('test')
    .description('Read the list of models of a provider, to see whether it can be reached.')
    .argument('<id>')
    .action(testProvider)
  for (const each of [list, test]) addDataOptions(each)
  rejectOtherNames(list)
  addExamples(
    command,
    ['tollgate providers', 'tollgate providers test openai'],
    'Providers and their credentials are set up in the window, or over the API.',
  )
}

async function listProviders(options: ProviderOptions): Promise<void> {
  const { data } = await connect(options).call('listProviders')
  const providers = options.all ? data : data.filter(({ configured }) => configured)
  if (options.json) return printJson(providers)
  const columns: Column<ProviderRecord>[] = [
    { title: 'ID', cell: ({ id }) => id },
    { title: 'NAME', flexible: true, cell: ({ name }) => name },
    { title: 'STATE', cell: describeState },
    { title: 'MODELS', align: 'right', cell: ({ modelCount }) => formatCount(modelCount) },
    { title: 'BASE URL', cell: ({ baseUrl }) => baseUrl ?? 'on this computer' },
  ]
  print(formatTable(columns, providers))
}

function describeState({ configured, health }: ProviderRecord): string {
  if (!configured) return 'not set up'
  return health.lastError === null ? health.state : `${health.state}, last call failed`
}

async function testProvider(id: string, options: ProviderOptions): Promise<void> {
  const result = await connect(options).call('testProvider', { params: { id } })
  if (!result.ok) process.exitCode = 1
  if (options.json) return printJson(result)
  if (result.ok)
    return print(
      `${id} works: ${formatCount(result.modelCount)} models, ${formatDuration(result.latencyMs)}\n`,
    )
  const other =
    result.suggestedBaseUrl === undefined ? '' : ` This base URL answers: ${result.suggestedBaseUrl}`
  note(`tollgate: ${result.error ?? 'The provider cannot be reached.'}${other}\n`)
}
