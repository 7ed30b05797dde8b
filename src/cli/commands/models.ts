import type { Command } from 'commander'
import type { ModelRecord } from '../../shared/api/models.ts'
import { formatCount, usdColumn } from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, connect, type DataOptions } from './options.ts'

interface ModelOptions extends DataOptions {
  provider?: string
  can?: string
}

export function define(command: Command): void {
  command
    .argument('[search]', 'words in the id or name')
    .option('--provider <id>', 'only of this provider')
    .option('--can <capability>', 'only with this capability: vision, tools, json, reasoning, …')
    .action(showModels)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate models', 'tollgate models claude', 'tollgate models --can vision --json'],
    'Prices are in USD per million tokens.',
  )
}

async function showModels(search: string | undefined, options: ModelOptions): Promise<void> {
  const { data } = await connect(options).call('listModels')
  const models = data.filter((model) => matches(model, search ?? '', options))
  if (options.json) return printJson(models)
  if (models.length === 0) return note('No model matches.\n')
  const usd = usdColumn(
    models.flatMap(({ pricing }) => [pricing?.inputPerMillion ?? null, pricing?.outputPerMillion ?? null]),
  )
  const columns: Column<ModelRecord>[] = [
    { title: 'MODEL', flexible: true, cell: ({ id }) => id },
    { title: 'PROVIDERS', cell: ({ providers }) => providers.join(', ') },
    { title: 'INPUT', align: 'right', cell: ({ pricing }) => usd(pricing?.inputPerMillion ?? null) },
    { title: 'CACHED', align: 'right', cell: ({ pricing }) => usd(pricing?.cacheReadPerMillion ?? null) },
    { title: 'OUTPUT', align: 'right', cell: ({ pricing }) => usd(pricing?.outputPerMillion ?? null) },
    {
      title: 'CONTEXT',
      align: 'right',
      cell: ({ contextWindow }) => (contextWindow === null ? '–' : formatCount(contextWindow)),
    },
    { title: 'CAPABILITIES', cell: ({ capabilities }) => capabilities.join(', ') },
  ]
  print(formatTable(columns, models))
}

function matches(model: ModelRecord, search: string, { provider, can }: ModelOptions): boolean {
  const text = `${model.id} ${model.name}`.toLowerCase()
  const words = search.toLowerCase().split(/\s+/)
  return (
    words.every((word) => text.includes(word)) &&
    (provider === undefined || model.providers.includes(provider)) &&
    (can === undefined || model.capabilities.some((capability) => capability === can))
  )
}
