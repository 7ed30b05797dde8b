// Owns the putting of a backup in the place of the database: the newest good one where the database is damaged, or the
// one that was asked for. What was there is moved aside and kept.
import { chmodSync, copyFileSync, renameSync } from 'node:fs'
import { syncFile } from '../platform/durable-files.ts'
import type { Log } from '../platform/log.ts'
import { type BackupFile, faultOf, listBackups, madeAtOf } from './backup.ts'
import { connectAnd } from './connection.ts'
import {
  backupDir,
  COMPANIONS,
  databasePath,
  lstatOf,
  moveDatabase,
  newDatabasePath,
  pendingRestorePath,
  regularFile,
  removeDatabase,
  stamp,
} from './files.ts'
import { type Migration, migrate } from './migrations.ts'
import { type Mark, readPendingRestore, removePendingRestore } from './pending-restore.ts'
import { statement } from './statement.ts'
import { StoreError, toStoreError } from './store-error.ts'

export interface Restored {
  /** The backup's file name. */
  backup: string
  /** When the backup was made: everything after it is lost. */
  madeAt: number
  /** Where what was there before was moved; null when there was nothing. */
  movedTo: string | null
  /** The user wanted it; otherwise the database was damaged or missing. */
  asked: boolean
}

const revokedKeys = statement<[], { id: string; revoked_at: number }>(
  'SELECT id, revoked_at FROM keys WHERE revoked_at IS NOT NULL',
)
const revoke = statement<[number, string]>(
  'UPDATE keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
)

/**
 * Puts the newest good backup in the place of a damaged or missing database, which is moved aside and kept.
 * Throws a StoreError `corrupt` when there is no good backup; nothing is changed then.
 */
export function restoreNewest(dataDir: string, damage: string, now: number): Restored {
  const aside = `${databasePath(dataDir)}.damaged-${stamp(now)}`
  for (const backup of listBackups(dataDir)) {
    if (copyOf(backup, newDatabasePath(dataDir)) !== null) continue
    return { ...takePlace(dataDir, backup, aside), asked: false }
  }
  throw new StoreError(
    'corrupt',
    `The database ${databasePath(dataDir)} cannot be used (${damage}), and there is no good backup in ${backupDir(dataDir)}. ` +
      'Tollgate does not start with an empty one, because that would forget what was spent. ' +
      'Put a good copy in its place, or move the whole data folder away to begin anew.',
  )
}

/**
 * Restores the backup that was asked for, if one was. To be called before the database is opened. The mark goes last:
 * a crash at any moment before leads here again, and what was done is not done twice. When the backup cannot be used
 * any more, the database stays as it is.
 */
export function applyPendingRestore(
  dataDir: string,
  log: Log,
  now: number,
  known: readonly Migration[],
): Restored | null {
  if (!regularFile(pendingRestorePath(dataDir))) return null
  const mark = readPendingRestore(dataDir)
  const { restored, fault } = mark ? carryOut(dataDir, mark, log, now, known) : UNREADABLE
  removePendingRestore(dataDir)
  if (fault !== null) {
    const backup = mark ? `The backup ${mark.backup}` : 'A backup'
    log.warn(`${backup} was to be restored and is not (${fault}). The database stays as it was.`)
  }
  return restored
}

type Outcome = { restored: Restored; fault: null } | { restored: null; fault: string }

const UNREADABLE: Outcome = { restored: null, fault: 'the note that says which cannot be read' }

function carryOut(dataDir: string, mark: Mark, log: Log, now: number, known: readonly Migration[]): Outcome {
  const database = databasePath(dataDir)
  const aside = `${database}.replaced-${stamp(mark.markedAt)}`
  const isAside = regularFile(aside) !== null
  const isThere = regularFile(database) !== null
  if (isAside && isThere) {
    // The start before this one broke off when only the mark was left to be removed.
    const madeAt = madeAtOf(mark.backup) ?? mark.markedAt
    return { restored: { backup: mark.backup, madeAt, movedTo: aside, asked: true }, fault: null }
  }
  if (isAside) moveDatabase(database, aside)
  const prepared = prepare(dataDir, mark, now, known)
  if ('backup' in prepared) {
    copyRevocations(isAside ? aside : database, newDatabasePath(dataDir), log)
    return { restored: { ...takePlace(dataDir, prepared.backup, aside), asked: true }, fault: null }
  }
  removeDatabase(newDatabasePath(dataDir))
  if (isAside) putBack(aside, database)
  return { restored: null, fault: prepared.fault }
}

/** Makes a copy that only needs its name to be the database, or says why it cannot. */
function prepare(
  dataDir: string,
  mark: Mark,
  now: number,
  known: readonly Migration[],
): { backup: BackupFile } | { fault: string } {
  const copy = newDatabasePath(dataDir)
  try {
    const backup = listBackups(dataDir).find(({ id }) => id === mark.backup)
    if (!backup) return { fault: 'it is gone' }
    const fault = copyOf(backup, copy, known)
    if (fault !== null) return { fault }
    connectAnd(copy, (db) => migrate(db, now, known))
    syncFile(copy)
    return { backup }
  } catch (thrown) {
    return { fault: toStoreError(thrown).message }
  }
}

/** Revocation is for good: keys that were revoked after the backup was made stay so. */
function copyRevocations(replaced: string, copy: string, log: Log): void {
  if (!regularFile(replaced)) return
  try {
    const revoked = connectAnd(replaced, (db) => revokedKeys(db).all())
    connectAnd(copy, (db) => {
      db.transaction(() => revoked.forEach(({ id, revoked_at }) => void revoke(db).run(revoked_at, id)))()
    })
    syncFile(copy)
  } catch (thrown) {
    log.warn(
      `Which keys were revoked since the backup was made cannot be told (${toStoreError(thrown).message}). Look through the keys and revoke those again.`,
    )
  }
}

/** Copies a backup to where a database is prepared. Returns what is wrong with it; null when nothing is. */
function copyOf(backup: BackupFile, copy: string, known?: readonly Migration[]): string | null {
  removeDatabase(copy)
  if (!lstatOf(backup.path)?.isFile()) return 'it is not a plain file'
  copyFileSync(backup.path, copy)
  chmodSync(copy, 0o600)
  const fault = faultOf(copy, known)
  if (fault) return fault.detail
  syncFile(copy)
  return null
}

function takePlace(dataDir: string, backup: BackupFile, aside: string): Omit<Restored, 'asked'> {
  const database = databasePath(dataDir)
  moveDatabase(database, aside)
  renameSync(newDatabasePath(dataDir), database)
  syncFile(database)
  return { backup: backup.id, madeAt: backup.madeAt, movedTo: regularFile(aside) ? aside : null }
}

/** Undoes a move that was broken off. The database comes last, so that it never stands without its log. */
function putBack(aside: string, database: string): void {
  for (const suffix of [...COMPANIONS, '']) {
    if (regularFile(aside + suffix)) renameSync(aside + suffix, database + suffix)
  }
}
