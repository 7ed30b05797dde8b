// `tollgate restore`: what Settings does while the gateway runs, for one that does not or cannot.
import { type Command, InvalidArgumentError } from 'commander'
import { lockDataDir } from '../../gateway/compose/host-api.ts'
import { chooseDataDir, prepareDataDir } from '../../host/data-dir.ts'
import { type Backup, findBackups, restoreAtNextStart } from '../../host/restore-backup.ts'
import { refuseInRun } from '../run/run-key.ts'
import { formatMoment } from '../terminal/amounts.ts'
import { note, print, printJson } from '../terminal/print.ts'
import { type Column, formatTable } from '../terminal/table.ts'
import { addDataOptions, addExamples, type DataOptions } from './options.ts'

export function define(command: Command): void {
  command.argument('[backup]', 'the name of the backup; without it, all are listed').action(restore)
  addDataOptions(command)
  addExamples(
    command,
    ['tollgate restore', 'tollgate restore tollgate-20261122T170842123Z-7.db'],
    `The backup replaces the database at the next start, which keeps the replaced one next to it. Tollgate must not be
running on that folder; while it runs, use Settings.`,
  )
}

async function restore(id: string | undefined, { json, dataDir: chosen }: DataOptions): Promise<void> {
  const dataDir = chooseDataDir(chosen)
  if (id === undefined) {
    list(findBackups(dataDir), json)
    return
  }
  refuseInRun()
  prepareDataDir(dataDir)
  const lock = lockDataDir(dataDir, { pid: process.pid, program: 'restore' })
  try {
    const problem = restoreAtNextStart(dataDir, id)
    if (problem !== null) throw new InvalidArgumentError(`${problem} "tollgate restore" lists all.`)
  } finally {
    lock.release()
  }
  if (json) printJson({ restoreAtStart: id })
  else note(`The next start restores ${id}. The database of now is kept next to it.\n`)
}

function list(backups: readonly Backup[], json: boolean | undefined): void {
  const rows = backups.map(({ id, madeAt, bytes }) => ({ id, madeAt: new Date(madeAt).toISOString(), bytes }))
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
  ]
  print(formatTable(columns, rows))
}
