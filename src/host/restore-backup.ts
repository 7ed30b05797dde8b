// Backups of a gateway that does not run, or that cannot be started.
import { StoreError } from '../gateway/compose/host-api.ts'
import { findOlderBackup, listBackups, migrations, scheduleRestore } from '../gateway/compose/offline-api.ts'

const OWNER = { kind: 'owner', id: null, name: null } as const

export interface Backup {
  /** Its file name. */
  id: string
  madeAt: number
  bytes: number
}

/** The newest first. */
export function findBackups(dataDir: string): Backup[] {
  return listBackups(dataDir)
}

/** Why the gateway could not start: a newer version of the program has used the data. */
export function isNewerData(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'newer'
}

/** The backup to go back to, for data of a newer version; null for any other error, or if there is none. */
export function backupToReturnTo(error: unknown, dataDir: string): Backup | null {
  return isNewerData(error) ? findOlderBackup(dataDir, migrations.length) : null
}

/** Lets a backup replace the database at the next start. Returns what is wrong with it; null if nothing is. */
export function restoreAtNextStart(dataDir: string, id: string): string | null {
  const done = scheduleRestore(dataDir, Date.now(), id, OWNER)
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
