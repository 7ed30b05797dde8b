// Backups of a gateway that does not run, or that cannot be started.
import { StoreError } from '../gateway/compose/host-api.ts'
import {
  findOlderBackup,
  latestSchema,
  listBackups,
  readBackupKeys,
  scheduleRestore,
} from '../gateway/compose/offline-api.ts'

const OWNER = { kind: 'owner', id: null, name: null } as const

export interface Backup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
  /** The keys that work in an imported backup; null for another one. */
  keys: readonly { name: string; scope: string }[] | null
}

/** The newest first. */
export function findBackups(dataDir: string): Backup[] {
  return listBackups(dataDir).map((backup) => {
    const { id, madeAt, bytes } = backup
    return { id, madeAt, bytes, keys: readBackupKeys(backup) }
  })
}

/** Why the gateway could not start: a newer version of the program has used the data. */
export function isNewerData(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'newer'
}

/** The backup to go back to, for data of a newer version; null for any other error, or if there is none. */
export function backupToReturnTo(error: unknown, dataDir: string): Omit<Backup, 'keys'> | null {
  return isNewerData(error) ? findOlderBackup(dataDir, latestSchema()) : null
}

/** Lets a backup replace the database at the next start. Returns what is wrong with it; null if nothing is. */
export function restoreAtNextStart(dataDir: string, id: string, keepKeys = false): string | null {
  const done = scheduleRestore(dataDir, Date.now(), id, { by: OWNER, keepKeys })
  if (!('reason' in done)) return null
  switch (done.reason) {
    case 'unknown':
      return `There is no backup "${id}".`
    case 'damaged':
      return `The backup "${id}" is damaged: ${done.detail}`
    case 'newer':
      return `The backup "${id}" cannot be restored by this version. ${done.detail}`
  }
}
