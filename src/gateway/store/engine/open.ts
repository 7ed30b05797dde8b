// Opens the data dir's database: restored if necessary, private, and migrated. Never creates an empty database where
// there was one before: that would lose the record of all spend.
import { renameSync, rmSync } from 'node:fs'
import { syncFile } from '../../platform/durable-files.ts'
import type { Log } from '../../platform/log.ts'
import { needsMigration } from '../part.ts'
import { noteBegin } from '../settings/damage-check.ts'
import type { Db } from '../sql/statement.ts'
import { StoreError, toStoreError } from '../sql/store-error.ts'
import { adviceForNewer, listBackups, writeBackup } from './backup.ts'
import { connectWriter, damageAtStart, schemaOfFile } from './connection.ts'
import { convertFile, createDatabase, isOlder } from './convert.ts'
import * as files from './files.ts'
import {
  FIRST_SCHEMA,
  latestSchema,
  type Migration,
  migrate,
  migrations,
  schemaVersion,
} from './migrations.ts'
import { applyPendingRestore, type Opening, type Restoration, restoreNewest } from './restore.ts'
import { createViews } from './views.ts'

/** Opens the data dir's database for writing. Throws a StoreError, among others `corrupt` and `newer`. */
export function openDatabase(
  dataDir: string,
  log: Log,
  now: number,
  known: readonly Migration[] = migrations,
): { db: Db; restored: Restoration | null } {
  const path = files.databasePath(dataDir)
  files.listFiles(path).forEach(files.regularFile)
  files.removeDatabase(files.newDatabasePath(dataDir))

  const opening = { dataDir, log, now, known }
  const requested = applyPendingRestore(opening)
  const restored = ensureSound(opening) ?? requested
  files.makePrivate(path)
  convertAfterBackup(opening)
  const db = connectWriter(path)
  try {
    migrateAfterBackup(db, opening)
    createViews(db)
    enableIncrementalVacuum(db, log)
    noteBegin(db)
    files.makePrivate(path)
    return { db, restored }
  } catch (error) {
    const isNewer = error instanceof StoreError && error.code === 'newer'
    const advice = isNewer ? adviceForNewer(db, dataDir, latestSchema(known)) : null
    db.close()
    throw advice === null ? error : new StoreError('newer', advice)
  }
}

function ensureSound({ dataDir, log, now }: Opening): Restoration | null {
  const path = files.databasePath(dataDir)
  const exists = files.regularFile(path) !== null
  if (!exists && isNew(dataDir)) {
    createEmpty(dataDir, now)
    return null
  }
  const note = files.damageNotePath(dataDir)
  const damage = exists ? damageAtStart(path, files.regularFile(note) !== null) : 'it is missing'
  if (damage === null) {
    rmSync(note, { force: true })
    return null
  }
  const restored = restoreNewest(dataDir, damage, now)
  rmSync(note, { force: true })
  log.warn(
    `The database could not be used (${damage}). The backup ${restored.backup} was restored; ` +
      `what happened after it was made is lost.${restored.movedTo ? ` The damaged file is kept as ${restored.movedTo}.` : ''}`,
  )
  return restored
}

/** Nothing shows that there ever was a database at this path, where none is: no backup, no write-ahead log, no note in the lock file. */
function isNew(dataDir: string): boolean {
  const path = files.databasePath(dataDir)
  const traces = [...files.listFiles(path), files.lockPath(dataDir)]
  return listBackups(dataDir).length === 0 && traces.every((trace) => !files.regularFile(trace)?.size)
}

/** The file gets its name only when it is complete, so a crash here leaves no database rather than an empty one. */
function createEmpty(dataDir: string, now: number): void {
  const path = files.newDatabasePath(dataDir)
  createDatabase(path, now, () => [])
  renameSync(path, files.databasePath(dataDir))
  syncFile(files.databasePath(dataDir))
}

function convertAfterBackup({ dataDir, log, now }: Opening): void {
  const path = files.databasePath(dataDir)
  if (!isOlder(path)) return
  log.info(`Backing up before converting the database from version ${schemaOfFile(path)} to ${FIRST_SCHEMA}.`)
  writeBackup(dataDir, now)
  convertFile(path)
  rmSync(files.receiptKeyPath(dataDir), { force: true })
}

function migrateAfterBackup(db: Db, { dataDir, log, now, known }: Opening): void {
  const version = schemaVersion(db, known)
  const latest = latestSchema(known)
  if (version === latest && !needsMigration(db)) return
  log.info(`Backing up before migrating the database from version ${version} to ${latest}.`)
  writeBackup(dataDir, now)
  migrate(db, now, known)
}

/** The database of a backup that another program has written may not release free pages. Rewriting the whole file once changes that. */
function enableIncrementalVacuum(db: Db, log: Log): void {
  if (db.pragma('auto_vacuum', { simple: true }) !== 0) return
  log.info('Rewriting the database once, so that it can release free space.')
  try {
    db.pragma('auto_vacuum = INCREMENTAL')
    db.exec('VACUUM')
  } catch (thrown) {
    log.warn(`The database stays as large as it is for now: ${toStoreError(thrown).message}`)
  }
}
