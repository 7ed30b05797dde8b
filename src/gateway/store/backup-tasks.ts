// Owns what can be asked about backups while the store is open. Each runs in a thread of its own, because reading a
// whole copy takes longer than anybody else should wait.
import { faultOf, listBackups, writeBackupInSteps } from './backup.ts'
import { readPendingRestore, removePendingRestore, writePendingRestore } from './pending-restore.ts'

export interface StoredBackup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
}

export interface StoredBackups {
  /** Newest first. */
  backups: StoredBackup[]
  /** The one that replaces the database at the next start; null for none. */
  restoreAtStart: string | null
}

/** Why a backup was not marked for restoring. */
export type RestoreRefusal =
  | { reason: 'unknown' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }

export type BackupTask = { do: 'make' | 'list' } | { do: 'mark' | 'unmark'; id: string }

export function runBackupTask(dataDir: string, task: BackupTask, now: number) {
  switch (task.do) {
    case 'make':
      return writeBackupInSteps(dataDir, now).then(shown)
    case 'list':
      return list(dataDir)
    case 'mark':
      return mark(dataDir, task.id, now)
    case 'unmark':
      return unmark(dataDir, task.id)
  }
}

function list(dataDir: string): StoredBackups {
  return {
    backups: listBackups(dataDir).map(shown),
    restoreAtStart: readPendingRestore(dataDir)?.backup ?? null,
  }
}

/** The id is only ever compared with what is there: it is no part of a path. */
function mark(dataDir: string, id: string, now: number): StoredBackups | RestoreRefusal {
  const backup = listBackups(dataDir).find((each) => each.id === id)
  if (!backup) return { reason: 'unknown' }
  const fault = faultOf(backup.path)
  if (fault) return { reason: fault.kind, detail: fault.detail }
  writePendingRestore(dataDir, { backup: id, markedAt: now })
  return list(dataDir)
}

/** A backup that is marked and gone can be unmarked still. */
function unmark(dataDir: string, id: string): StoredBackups | RestoreRefusal {
  const marked = readPendingRestore(dataDir)?.backup
  if (marked === id) removePendingRestore(dataDir)
  else if (!listBackups(dataDir).some((each) => each.id === id)) return { reason: 'unknown' }
  return list(dataDir)
}

function shown({ id, madeAt, bytes }: StoredBackup): StoredBackup {
  return { id, madeAt, bytes }
}
