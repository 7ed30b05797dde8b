// The advice for data that a newer version of the program has used: which version that was, and which backup this one can
// open.
import { type BackupFile, listBackups } from './backup.ts'
import { schemaOfFile } from './connection.ts'
import { type Db, statement } from './statement.ts'

const PROGRAM_VERSION = 'program_version'

const programVersion = statement<[], { value: string }>(
  `SELECT value FROM meta WHERE name = '${PROGRAM_VERSION}'`,
)
const putProgramVersion = statement<[string]>(`
  INSERT INTO meta (name, value) VALUES ('${PROGRAM_VERSION}', ?)
  ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value`)

/** Notes the version that uses the database, for an older one that is started later. */
export function noteProgramVersion(db: Db, version: string): void {
  putProgramVersion(db).run(version)
}

/** The newest own backup with a schema that is not newer than `schema`; null if there is none. */
export function findOlderBackup(dataDir: string, schema: number): BackupFile | null {
  const own = listBackups(dataDir).filter(({ imported }) => !imported)
  return own.find(({ path }) => schemaOfFile(path) <= schema) ?? null
}

/** The advice for a database that has more migrations than the `known` ones. */
export function adviceForNewer(db: Db, dataDir: string, known: number): string {
  const version = programVersion(db).get()?.value
  const backup = findOlderBackup(dataDir, known)
  const first =
    `This data was last used by a newer version of Tollgate${version ? `, ${version}` : ''}. ` +
    `Update Tollgate to ${version ? `${version} or later` : 'that version'} to open it.`
  if (!backup) return `${first} There is no backup that this version can open.`
  const madeAt = new Date(backup.madeAt).toISOString().replace('T', ' ').slice(0, 16)
  return (
    `${first} Or go back to the backup ${backup.id} of ${madeAt} UTC: run "tollgate restore ${backup.id}", and start ` +
    'this version again. What was spent after that time then no longer counts; the newer database is kept next to it.'
  )
}
