import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { tempDirForTest } from '../../../../gateway/testing/temp-dir.ts'
import { openOtherDatabase } from '../testing/other-database.ts'
import { BusyDatabaseError, readDatabaseCopy } from './database-copy.ts'

/** Called after each file that is copied. */
let copied: (from: string) => void = () => {}
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const copyFile: typeof original.copyFile = async (from, to, mode) => {
    await original.copyFile(from, to, mode)
    copied(String(from))
  }
  return { ...original, copyFile }
})

const count = (path: string) =>
  readDatabaseCopy(path, (db) => db.prepare('SELECT count(*) FROM call').pluck().get())

test('a copy is made again if the database was changed meanwhile, and given up if it always is', async () => {
  const path = join(tempDirForTest(), 'agent.db')
  const db = openOtherDatabase(path, 'CREATE TABLE call (id text)')
  db.insert('call', ['1'])
  let changes = 0
  copied = (from) => {
    if (from !== path || changes > 0) return
    changes += 1
    db.insert('call', ['2'])
    db.checkpoint()
  }
  expect(await count(path)).toBe(2)
  copied = () => {
    changes += 1
    utimesSync(path, changes, changes)
  }
  await expect(count(path)).rejects.toThrow(BusyDatabaseError)
})

test('a log that began again meanwhile does not go with the database', async () => {
  const path = join(tempDirForTest(), 'agent.db')
  const db = openOtherDatabase(path, 'CREATE TABLE call (id text)')
  db.insert('call', ['1'])
  let isFirst = true
  // The log has been copied: what it has moves to the database, and it begins again.
  copied = (from) => {
    if (!from.endsWith('-wal') || !isFirst) return
    isFirst = false
    db.checkpoint()
    db.insert('call', ['2'])
  }
  expect(await count(path)).toBe(2)
})
