import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { writePendingRestore } from './engine/backup.ts'
import { databasePath, pendingRestorePath } from './engine/files.ts'
import { migrations } from './engine/migrations.ts'
import { openDatabase } from './engine/open.ts'
import {
  makeNewer,
  type PendingSetup,
  readSpend,
  recordSpend,
  setUpPendingRestore,
  start,
} from './testing/pending-restore.ts'
import { NOON } from './testing/samples.ts'
import { tempDir } from './testing/temp-store.ts'

describe('an interrupted start', () => {
  test.each([
    [
      'while the copy is written',
      ({ dataDir }: PendingSetup) => writeFileSync(`${databasePath(dataDir)}.new`, 'half'),
    ],
    [
      'after the database was moved',
      ({ dataDir, aside }: PendingSetup) => renameSync(databasePath(dataDir), aside),
    ],
    [
      'after the database was moved, but not its log',
      ({ dataDir, aside }: PendingSetup) => {
        renameSync(databasePath(dataDir), aside)
        writeFileSync(`${databasePath(dataDir)}-wal`, '')
        writeFileSync(`${databasePath(dataDir)}.new`, 'half')
      },
    ],
  ])('%s is completed by the next', (_, interrupt) => {
    const setup = setUpPendingRestore(tempDir())
    interrupt(setup)
    expect(start(setup.dataDir)).toMatchObject({
      restored: { backup: setup.id, movedTo: setup.aside },
      spend: 250,
      warnings: [],
      discrepancies: 0,
    })
    expect(readSpend(setup.aside)).toBe(500)
    expect(readdirSync(setup.dataDir).filter((name) => /replaced|restore/.test(name))).toHaveLength(1)
  })

  test('before the note was removed does not restore twice', () => {
    const { dataDir, id, aside } = setUpPendingRestore(tempDir())
    const note = readFileSync(pendingRestorePath(dataDir))
    start(dataDir)
    const { db } = openDatabase(dataDir, silentLog, NOON)
    recordSpend(db, 'req_since', 7)
    db.close()
    writeFileSync(pendingRestorePath(dataDir), note)
    expect(start(dataDir)).toMatchObject({ restored: { backup: id, movedTo: aside }, spend: 257 })
    expect(readSpend(aside)).toBe(500)
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 257 })
  })

  test('after the database was moved is undone when the backup has been damaged', () => {
    const { dataDir, id, aside } = setUpPendingRestore(tempDir())
    renameSync(databasePath(dataDir), aside)
    writeFileSync(join(dataDir, 'backups', id), 'bad')
    expect(start(dataDir)).toMatchObject({ restored: null, spend: 500 })
    expect(existsSync(aside)).toBe(false)
  })
})

describe('an impossible restore is canceled, and the database is unchanged', () => {
  test.each<[string, (setup: PendingSetup) => void, RegExp]>([
    [
      'the backup is damaged',
      ({ dataDir, id }) => writeFileSync(join(dataDir, 'backups', id), 'bad'),
      /does not have the header/,
    ],
    [
      'the backup was removed',
      ({ dataDir, id }) => rmSync(join(dataDir, 'backups', id)),
      /it no longer exists/,
    ],
    [
      'the backup is of a newer version',
      ({ dataDir, id }) => makeNewer(join(dataDir, 'backups', id)),
      /newer version/,
    ],
    [
      'the note is truncated',
      ({ dataDir }) => writeFileSync(pendingRestorePath(dataDir), '{"backup":"toll'),
      /cannot be read/,
    ],
    [
      'the note names a path outside of the folder',
      ({ dataDir }) => writePendingRestore(dataDir, { backup: '../tollgate.db', markedAt: NOON }),
      /it no longer exists/,
    ],
  ])('%s', (_, damage, reason) => {
    const setup = setUpPendingRestore(tempDir())
    damage(setup)
    const started = start(setup.dataDir)
    expect(started).toMatchObject({ restored: null, spend: 500, warnings: [expect.stringMatching(reason)] })
    expect(existsSync(pendingRestorePath(setup.dataDir))).toBe(false)
    expect(readdirSync(setup.dataDir).filter((name) => /replaced|\.new/.test(name))).toEqual([])
    expect(start(setup.dataDir)).toMatchObject({ spend: 500, warnings: [] })
  })

  test('a migration of the backup fails', () => {
    const { dataDir } = setUpPendingRestore(tempDir())
    const broken = {
      name: 'broken',
      apply(db: Sqlite.Database) {
        if (db.prepare("SELECT 1 FROM requests WHERE id = 'req_after'").get() === undefined)
          throw new Error('no further')
      },
    }
    const { db, restored } = openDatabase(dataDir, silentLog, NOON, [...migrations, broken])
    expect(restored).toBeNull()
    expect(db.prepare('SELECT spend_nano FROM account').pluck().get()).toBe(500)
    db.close()
  })
})
