// The tasks on backups while the store is open. Each runs in a separate thread, because reading a whole copy takes long.
import { faultOf, listBackups, writeBackupInSteps } from './backup.ts'
import { adoptUpload } from './backup-import.ts'
import { readPendingRestore, removePendingRestore, writePendingRestore } from './pending-restore.ts'

export interface StoredBackup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
  /** The user imported it. */
  imported: boolean
}

export interface StoredBackups {
  /** Newest first. */
  backups: StoredBackup[]
  /** The one that replaces the database at the next start; null for none. */
  restoreAtStart: string | null
}

/** Why the restore of a backup was not scheduled. */
export type RestoreRefusal =
  | { reason: 'unknown' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }

/** Why a file was not imported. */
export type ImportRefusal =
  | { reason: 'foreign' }
  /** `detail` is a text for the user. */
  | { reason: 'damaged' | 'newer'; detail: string }

export type BackupTask =
  | { do: 'create' | 'list' | 'import' }
  | { do: 'scheduleRestore' | 'cancelRestore'; id: string }

export function runBackupTask(dataDir: string, task: BackupTask, now: number) {
  switch (task.do) {
    case 'create':
      return writeBackupInSteps(dataDir, now).then(toStoredBackup)
    case 'list':
      return list(dataDir)
    case 'import':
      return adoptImport(dataDir, now)
    case 'scheduleRestore':
      return scheduleRestore(dataDir, task.id, now)
    case 'cancelRestore':
      return cancelRestore(dataDir, task.id)
  }
}

function list(dataDir: string): StoredBackups {
  return {
    backups: listBackups(dataDir).map(toStoredBackup),
    restoreAtStart: readPendingRestore(dataDir)?.backup ?? null,
  }
}

/** The id is only compared with the existing ones: it never becomes part of a path. */
function scheduleRestore(dataDir: string, id: string, now: number): StoredBackups | RestoreRefusal {
  const backup = listBackups(dataDir).find((each) => each.id === id)
  if (!backup) return { reason: 'unknown' }
  const fault = faultOf(backup.path)
  if (fault) return { reason: fault.kind, detail: fault.detail }
  writePendingRestore(dataDir, { backup: id, markedAt: now })
  return list(dataDir)
}

/** Also for a backup that was removed after its restore was scheduled. */
function cancelRestore(dataDir: string, id: string): StoredBackups | RestoreRefusal {
  const pending = readPendingRestore(dataDir)?.backup
  if (pending === id) removePendingRestore(dataDir)
  else if (!listBackups(dataDir).some((each) => each.id === id)) return { reason: 'unknown' }
  return list(dataDir)
}

function adoptImport(dataDir: string, now: number): StoredBackup | ImportRefusal {
  const adopted = adoptUpload(dataDir, now)
  if ('id' in adopted) return toStoredBackup(adopted)
  return adopted
}

function toStoredBackup({ id, madeAt, bytes, imported }: StoredBackup): StoredBackup {
  return { id, madeAt, bytes, imported }
}
