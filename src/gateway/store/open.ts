// Owns the way from a data dir to a database that can be trusted: found or made, whole, private, durable, up to date.
// Never makes an empty database where there was one before: that would forget all spend.
import { renameSync } from 'node:fs'
import { syncFile } from '../platform/durable-files.ts'
import type { Log } from '../platform/log.ts'
import { listBackups, writeBackup } from './backup.ts'
import { connectAnd, connectWriter, damageOf } from './connection.ts'
import {
  COMPANIONS,
  createPrivateFile,
  databasePath,
  lockPath,
  makePrivate,
  newDatabasePath,
  regularFile,
  removeDatabase,
} from './files.ts'
import { type Migration, migrate, migrations, schemaVersion } from './migrations.ts'
import { applyPendingRestore, type Restored, restoreNewest } from './restore.ts'
import type { Db } from './statement.ts'
import { toStoreError } from './store-error.ts'

export interface Opened {
  db: Db
  restored: Restored | null
}

/** Opens the data dir's database for writing. Throws a StoreError, among others `corrupt` and `newer`. */
export function openDatabase(
  dataDir: string,
  log: Log,
  now: number,
  known: readonly Migration[] = migrations,
): Opened {
  const path = databasePath(dataDir)
  for (const suffix of ['', ...COMPANIONS]) regularFile(path + suffix)
  removeDatabase(newDatabasePath(dataDir))

  const asked = applyPendingRestore(dataDir, log, now, known)
  const restored = ensureSound(dataDir, log, now) ?? asked
  makePrivate(path)
  const db = connectWriter(path)
  try {
    bringUpToDate(db, dataDir, log, now, known)
    makeShrinkable(db, log)
    makePrivate(path)
    return { db, restored }
  } catch (error) {
    db.close()
    throw error
  }
}

function ensureSound(dataDir: string, log: Log, now: number): Restored | null {
  const path = databasePath(dataDir)
  const exists = regularFile(path) !== null
  if (!exists && isUntouched(dataDir)) {
    createFresh(dataDir, now)
    return null
  }
  const damage = exists ? damageOf(path, 'quick_check') : 'it is missing'
  if (damage === null) return null
  const restored = restoreNewest(dataDir, damage, now)
  log.warn(
    `The database could not be used (${damage}). The backup ${restored.backup} was put in its place; ` +
      `what happened after it was made is lost.${restored.movedTo ? ` The damaged file is kept as ${restored.movedTo}.` : ''}`,
  )
  return restored
}

/** Nothing says that there ever was a database here: no backup, no write-ahead log left behind, no note of the lock. */
function isUntouched(dataDir: string): boolean {
  const path = databasePath(dataDir)
  const traces = [...COMPANIONS.map((suffix) => path + suffix), lockPath(dataDir)]
  return listBackups(dataDir).length === 0 && traces.every((trace) => !regularFile(trace)?.size)
}

/** A database gets its name only when it is whole, so a crash here leaves none rather than an empty one. */
function createFresh(dataDir: string, now: number): void {
  const path = newDatabasePath(dataDir)
  createPrivateFile(path)
  connectAnd(path, (db) => {
    db.pragma('auto_vacuum = INCREMENTAL')
    migrate(db, now)
  })
  syncFile(path)
  renameSync(path, databasePath(dataDir))
  syncFile(databasePath(dataDir))
}

function bringUpToDate(db: Db, dataDir: string, log: Log, now: number, known: readonly Migration[]): void {
  const version = schemaVersion(db, known)
  if (version === known.length) return
  log.info(`Backing up before bringing the database from version ${version} to ${known.length}.`)
  writeBackup(dataDir, now)
  migrate(db, now, known)
}

/** Databases of earlier versions kept the pages that pruning freed. Writing all of it anew is done once. */
function makeShrinkable(db: Db, log: Log): void {
  if (db.pragma('auto_vacuum', { simple: true }) !== 0) return
  log.info('Making the database able to give space back; this is done once.')
  try {
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
  } catch (thrown) {
    log.warn(`The database stays as large as it is for now: ${toStoreError(thrown).message}`)
  }
}
