import type { Command } from 'commander'
import { addDataOptions, addExamples, connect, type DataOptions } from '../../../cli/commands/options.ts'
import { refuseInRun } from '../../../cli/run/run-key.ts'
import { formatCount, formatMoment, usdColumn } from '../../../cli/terminal/amounts.ts'
import { note, print, printJson } from '../../../cli/terminal/print.ts'
import { type Column, formatTable } from '../../../cli/terminal/table.ts'
import { printable } from '../../../shared/values/text.ts'
import type { BatchJob } from '../api/batches.ts'

interface BatchesOptions extends DataOptions {
  all?: boolean
}

export function define(command: Command): void {
  command
    .description('List batches with their progress and cost, or cancel one.')
    .addArgument(command.createArgument('[action]', 'what to do with a batch').choices(['cancel']))
    .argument('[id]', 'the batch')
    .option('--all', 'list those that are settled, too')
    .action(async (action: string | undefined, id: string | undefined, options: BatchesOptions) =>
      action === undefined ? list(options) : cancel(id, options),
    )
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate batches', 'tollgate batches --all', 'tollgate batches cancel batch_0123'],
    'A batch is settled once each of its lines is charged or released.',
  )
}

async function list({ all = false, json, ...rest }: BatchesOptions): Promise<void> {
  const { data } = await connect(rest).call('listBatchJobs')
  const shown = all ? data : data.filter(({ settled }) => !settled)
  if (json) return printJson({ data: shown })
  if (shown.length === 0)
    return note(all ? 'There are no batches.\n' : 'No batch is open. --all lists those that are settled.\n')
  print(formatTable(createColumns(shown), shown))
  for (const { id, problem } of shown) if (problem !== null) note(`${printable(id)}: ${printable(problem)}\n`)
}

async function cancel(id: string | undefined, { json, ...rest }: BatchesOptions): Promise<void> {
  refuseInRun()
  if (id === undefined) throw new Error('Give the id of the batch: tollgate batches cancel ID')
  const batch = await connect(rest).call('cancelBatchJob', { params: { id } })
  if (json) return printJson(batch)
  note('The provider was asked to cancel it. What it has done until then is charged.\n')
}

function createColumns(rows: readonly BatchJob[]): Column<BatchJob>[] {
  const usd = usdColumn(rows.flatMap(({ costUsd, reservedUsd }) => [costUsd, reservedUsd]))
  return [
    { title: 'BATCH', cell: ({ id }) => id },
    { title: 'KEY', cell: ({ keyName }) => printable(keyName) },
    { title: 'MODELS', flexible: true, cell: ({ models }) => printable(models.join(', ')) },
    { title: 'CREATED', cell: ({ createdAt }) => formatMoment(createdAt) },
    {
      title: 'STATUS',
      cell: ({ status, settled, keyPaused }) =>
        `${printable(status)}${settled ? ', settled' : ''}${keyPaused ? ', key paused' : ''}`,
    },
    {
      title: 'DONE',
      cell: ({ done, lines }) => `${formatCount(done)} of ${formatCount(lines)}`,
      align: 'right',
    },
    { title: 'COST', cell: ({ costUsd }) => usd(costUsd), align: 'right' },
    { title: 'RESERVED', cell: ({ reservedUsd }) => usd(reservedUsd), align: 'right' },
  ]
}
