// `tollgate restore`: what Settings does while the gateway runs, for one that does not or cannot.
import { type Command, InvalidArgumentError } from 'commander'
import { lockDataDir } from '../../gateway/compose/host-api.ts'
import { chooseDataDir, prepareDataDir } from '../../host/data-dir.ts'
import { type Backup, findBackups, restoreAtNextStart } from '../../host/restore-backup.ts'
import { printable } from '../../shared/values/text.ts'
import { refuseInRun } from '../run/run-key.ts'
import { formatMoment } from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, type DataOptions } from './options.ts'

export function define(command: Command): void {
  command
    .argument('[backup]', 'the name of the backup; without it, all are listed')
    .option('--keep-keys', 'keep the keys of an imported backup valid')
    .action(restore)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate restore', 'tollgate restore tollgate-20261122T170842123Z-7.db'],
    `The backup replaces the database at the next start, which keeps the replaced one next to it. Tollgate must not be
running on that folder; while it runs, use Settings. An imported backup may come from someone else: its keys are revoked, and its
providers that are not at their vendor's address are disabled until you enable them.`,
  )
}

interface RestoreCommandOptions extends DataOptions {
  keepKeys?: boolean
}

async function restore(
  id: string | undefined,
  { json, dataDir: chosen, keepKeys }: RestoreCommandOptions,
): Promise<void> {
  const dataDir = chooseDataDir(chosen)
  if (id === undefined) {
    list(findBackups(dataDir), json)
    return
  }
  refuseInRun()
  prepareDataDir(dataDir)
  const lock = lockDataDir(dataDir, { pid: process.pid, program: 'restore' })
  try {
    const problem = restoreAtNextStart(dataDir, id, keepKeys)
    if (problem !== null) throw new InvalidArgumentError(`${problem} "tollgate restore" lists all.`)
  } finally {
    lock.release()
  }
  if (json) printJson({ restoreAtStart: id })
  else note(`The next start restores ${id}. The database of now is kept next to it.\n`)
}

function list(backups: readonly Backup[], json: boolean | undefined): void {
  const rows = backups.map(({ madeAt, ...rest }) => ({ ...rest, madeAt: new Date(madeAt).toISOString() }))
  if (json) {
    printJson(rows)
    return
  }
  if (rows.length === 0) {
    note('There are no backups.\n')
    return
  }
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'BACKUP', cell: (row) => row.id },
    { title: 'MADE AT', cell: (row) => formatMoment(row.madeAt) },
    { title: 'SIZE', align: 'right', cell: (row) => `${(row.bytes / 1e6).toFixed(1)} MB` },
    { title: 'KEYS', cell: ({ keys }) => (keys ?? []).map(({ name }) => printable(name)).join(', ') },
  ]
  print(formatTable(columns, rows))
}
