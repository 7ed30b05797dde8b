import Sqlite from 'better-sqlite3'
import { expect, test } from 'vitest'
import { NOON, openTestStore } from '../testing/samples.ts'
import { tempDir } from '../testing/temp-store.ts'
import { fillDataDir } from '../testing/used-data-dir.ts'
import { listBackups, writeBackup } from './backup.ts'
import { databasePath } from './files.ts'
import { latestSchema } from './migrations.ts'

/** Migrates the database as a version would that has one migration more. */
function migrateFurther(dataDir: string): void {
  const db = new Sqlite(databasePath(dataDir))
  db.pragma(`user_version = ${latestSchema() + 1}`)
  db.close()
}

async function getRefusal(dataDir: string): Promise<string> {
  const opened = await openTestStore({ dataDir, version: '0.1.0' }).then(
    (store) => store.close().then(() => 'opened'),
    (error: Error) => error.message,
  )
  return String(opened)
}

test('an older program says which version has used the data, and which backup it can open', async () => {
  const dataDir = await fillDataDir(tempDir(), false)
  const newer = await openTestStore({ dataDir, version: '0.9.0' })
  await newer.close()
  const { id } = writeBackup(dataDir, NOON)
  migrateFurther(dataDir)
  writeBackup(dataDir, NOON + 1)
  expect(await getRefusal(dataDir)).toBe(
    'This data was last used by a newer version of Tollgate, 0.9.0. Update Tollgate to 0.9.0 or later to open it. ' +
      `Or go back to the backup ${id} of 2026-03-10 12:00 UTC: run "tollgate restore ${id}", and start this version again. ` +
      'What was spent after that time then no longer counts; the newer database is kept next to it.',
  )
})

test('without such a backup, it asks for the newer version', async () => {
  const dataDir = await fillDataDir(tempDir(), false)
  migrateFurther(dataDir)
  expect(await getRefusal(dataDir)).toBe(
    'This data was last used by a newer version of Tollgate. Update Tollgate to that version to open it. ' +
      'There is no backup that this version can open.',
  )
})

test('the last backup from before a migration is kept, however many follow', async () => {
  const dataDir = await fillDataDir(tempDir(), false)
  const db = new Sqlite(databasePath(dataDir))
  db.pragma(`user_version = ${latestSchema() - 1}`)
  const { id } = writeBackup(dataDir, NOON)
  db.pragma(`user_version = ${latestSchema()}`)
  db.close()
  for (let day = 1; day <= 8; day++) writeBackup(dataDir, NOON + day)
  const kept = listBackups(dataDir).map((backup) => backup.id)
  expect(kept).toContain(id)
  expect(kept).toHaveLength(8)
})
