// The check of the database for damage. It reads everything, so the start checks only the first page, the length and the tables
// that it reads if the database is larger than 2 MB: it takes as long with ten million requests as with ten. The rest is checked in
// a separate thread, at most once a day and after an end that was not clean; SQLite's write-ahead log already undoes writes that a
// crash or a power cut interrupted. Damage found while the gateway runs ends it with an error and leaves the note `check-at-start`,
// so that the next start checks everything.
import { damageOfTables, describeDamage, isTruncated } from './connection.ts'
import { regularFile } from './files.ts'
import { type Db, statement } from './statement.ts'
import { StoreError } from './store-error.ts'

/** A database of this size is checked in some 20 milliseconds. */
const SMALL_BYTES = 2 * 1024 * 1024
const CHECK_INTERVAL_MS = 24 * 60 * 60_000

/** The tables that the start reads. All of them are small. */
const START_TABLES = [
  'meta',
  'settings',
  'keys',
  'account',
  'providers',
  'provider_models',
  'model_overrides',
  'running',
  'texts',
]

const metaValue = statement<[string], { value: string }>('SELECT value FROM meta WHERE name = ?')
const putMeta = statement<[string, string]>('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)')
const deleteMeta = statement<[string]>('DELETE FROM meta WHERE name = ?')

/** Describes the damage of the database that is to be opened; null when none is found. `whole`: reads all of it. */
export function damageAtStart(path: string, whole: boolean): string | null {
  if (whole || (regularFile(path)?.size ?? 0) <= SMALL_BYTES) return describeDamage(path, 'quick_check')
  return (
    describeDamage(path, null) ?? (isTruncated(path) ? 'it is truncated' : damageOfTables(path, START_TABLES))
  )
}

/** To be called when the database is opened. Without a clean end before, the last check no longer counts. */
export function noteBegin(db: Db): void {
  try {
    db.transaction(() => {
      if (!metaValue(db).get('clean_end')) deleteMeta(db).run('checked_at')
      deleteMeta(db).run('clean_end')
    })()
  } catch {
    // The disk is full or another program holds the database, which later writes report.
  }
}

/** To be called before the database is closed. */
export function noteCleanEnd(db: Db): void {
  putMeta(db).run('clean_end', '1')
}

export function isCheckDue(db: Db, now: number): boolean {
  const checkedAt = Number(metaValue(db).get('checked_at')?.value ?? Number.NaN)
  return !(checkedAt <= now && now - checkedAt < CHECK_INTERVAL_MS)
}

/** Reads the whole database. Throws a StoreError `corrupt` if it is damaged, which is fatal for the store. */
export function checkDamage(db: Db): void {
  const findings = db.pragma('quick_check(1)', { simple: true })
  if (findings !== 'ok') throw new StoreError('corrupt', `The database is damaged: ${String(findings)}`)
}

export function noteCheck(db: Db, at: number): void {
  putMeta(db).run('checked_at', String(at))
}
