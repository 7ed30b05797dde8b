// Restores a backup: the newest good one where the database is damaged or missing, or the one that the user chose. The
// old database is moved aside, not deleted.

import { chmodSync, copyFileSync, renameSync } from 'node:fs'
import type { ActivityActor } from '../../../shared/api/activity.ts'
import { syncFile } from '../../platform/durable-files.ts'
import type { Log } from '../../platform/log.ts'
import { statement } from '../sql/statement.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import {
  type BackupFile,
  findFault,
  isImported,
  listBackups,
  type PendingRestore,
  readMadeAt,
  readPendingRestore,
  removePendingRestore,
} from './backup.ts'
import { withConnection } from './connection.ts'
import { convertFile, isOlder } from './convert.ts'
import * as files from './files.ts'
import { disown } from './foreign-backup.ts'
import { type Migration, migrate } from './migrations.ts'

export interface Restoration {
  /** The backup's file name. */
  backup: string
  /** When the backup was made: everything after it is lost. */
  madeAt: number
  /** Where the old database was moved; null when there was none. */
  movedTo: string | null
  /** Whether the user chose it; otherwise the database was damaged or missing. */
  requested: boolean
  /** Who chose it, as far as that is known. */
  by?: ActivityActor | undefined
  /** The treatment of an imported backup, which may come from someone else; absent for another one. */
  imported?: { keepsKeys: boolean }
}

/** The data dir whose database is opened, and the migrations that the program knows. */
export interface Opening {
  dataDir: string
  log: Log
  now: number
  known: readonly Migration[]
}

const revokedKeys = statement<[], { id: string; revoked_at: number }>(
  'SELECT id, revoked_at FROM keys WHERE revoked_at IS NOT NULL',
)
const revoke = statement<[number, string]>(
  'UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
)

/**
 * Replaces a damaged or missing database by the newest good backup. The damaged one is moved aside. Throws a StoreError `corrupt` when there is no good backup; nothing is changed then.
 */
export function restoreNewest(dataDir: string, damage: string, now: number): Restoration {
  const aside = `${files.databasePath(dataDir)}.damaged-${files.stamp(now)}`
  for (const backup of listBackups(dataDir).filter(({ imported }) => !imported)) {
    if (copyBackup(backup, files.newDatabasePath(dataDir)) !== null) continue
    return { ...replaceDatabase(dataDir, backup, aside), requested: false }
  }
  throw new StoreError(
    'corrupt',
    `The database ${files.databasePath(dataDir)} cannot be used (${damage}), and there is no good backup in ${files.backupDir(dataDir)}. ` +
      'Tollgate does not start with an empty one, because that would lose the record of what was spent. ' +
      'Replace it by a good copy, or move the whole data folder away to start over.',
  )
}

/**
 * Carries out the pending restore, if there is one. To be called before the database is opened. The note is removed
 * last: after a crash at any moment before, the next start continues here, and no step is done twice. When the backup
 * can no longer be used, the database stays as it is.
 */
export function applyPendingRestore(opening: Opening): Restoration | null {
  const { dataDir, log } = opening
  if (!files.regularFile(files.pendingRestorePath(dataDir))) return null
  const pending = readPendingRestore(dataDir)
  const outcome = pending ? restorePending(opening, pending) : 'the note that names it cannot be read'
  removePendingRestore(dataDir)
  if (typeof outcome !== 'string') return outcome
  const backup = pending ? `The backup ${pending.backup}` : 'A backup'
  log.warn(`${backup} was not restored (${outcome}). The database stays as it was.`)
  return null
}

/** Returns why the backup cannot be restored, if so. */
function restorePending(opening: Opening, pending: PendingRestore): Restoration | string {
  const { dataDir, log } = opening
  const { backup, markedAt, by, keepKeys = false } = pending
  const choice = { requested: true, by, ...(isImported(backup) ? { imported: { keepsKeys: keepKeys } } : {}) }
  const database = files.databasePath(dataDir)
  const aside = `${database}.replaced-${files.stamp(markedAt)}`
  const isAside = files.regularFile(aside) !== null
  const exists = files.regularFile(database) !== null
  if (isAside && exists) {
    // The previous start was interrupted just before it removed the note.
    return { backup, madeAt: readMadeAt(backup) ?? markedAt, movedTo: aside, ...choice }
  }
  if (isAside) files.moveDatabase(database, aside)
  const prepared = prepareCopy(opening, pending)
  if (typeof prepared !== 'string') {
    copyRevocations(isAside ? aside : database, files.newDatabasePath(dataDir), log)
    return { ...replaceDatabase(dataDir, prepared, aside), ...choice }
  }
  files.removeDatabase(files.newDatabasePath(dataDir))
  if (isAside) files.undoMove(database, aside)
  return prepared
}

/** Prepares a copy that only needs to be renamed, or returns why the backup cannot be used. */
function prepareCopy(
  { dataDir, now, known }: Opening,
  { backup: id, keepKeys = false }: PendingRestore,
): BackupFile | string {
  const copy = files.newDatabasePath(dataDir)
  try {
    const backup = listBackups(dataDir).find((each) => each.id === id)
    if (!backup) return 'it no longer exists'
    const fault = copyBackup(backup, copy, known)
    if (fault !== null) return fault
    if (isOlder(copy)) convertFile(copy)
    withConnection(copy, (db) => migrate(db, now, known))
    if (backup.imported) disown(copy, { now, keepKeys })
    syncFile(copy)
    return backup
  } catch (thrown) {
    return toStoreError(thrown).message
  }
}

/** Revocation is permanent: keys that were revoked after the backup was made stay revoked. */
function copyRevocations(replaced: string, copy: string, log: Log): void {
  if (!files.regularFile(replaced)) return
  try {
    const revoked = withConnection(replaced, (db) => revokedKeys(db).all())
    withConnection(copy, (db) => {
      db.transaction(() => revoked.forEach(({ id, revoked_at }) => void revoke(db).run(revoked_at, id)))()
    })
    syncFile(copy)
  } catch (thrown) {
    log.warn(
      `Keys that were revoked since the backup was made may be active again: the replaced database cannot be read (${toStoreError(thrown).message}). Check the keys, and revoke those again.`,
    )
  }
}

/** Copies a backup to the path where a database is prepared. Returns what is wrong with it; null when nothing is. */
function copyBackup(backup: BackupFile, copy: string, known?: readonly Migration[]): string | null {
  files.removeDatabase(copy)
  if (!files.tryLstat(backup.path)?.isFile()) return 'it is not a regular file'
  copyFileSync(backup.path, copy)
  chmodSync(copy, 0o600)
  const fault = findFault(copy, known)
  if (fault) return fault.detail
  syncFile(copy)
  return null
}

function replaceDatabase(dataDir: string, backup: BackupFile, aside: string): Omit<Restoration, 'requested'> {
  const database = files.databasePath(dataDir)
  files.moveDatabase(database, aside)
  renameSync(files.newDatabasePath(dataDir), database)
  syncFile(database)
  return { backup: backup.id, madeAt: backup.madeAt, movedTo: files.regularFile(aside) ? aside : null }
}
