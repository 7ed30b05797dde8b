import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openTestStore } from '../testing/samples.ts'
import { newDataDir } from '../testing/temp-store.ts'
import { listBackups } from './backup.ts'
import { databasePath } from './files.ts'

/** The check of this table takes seconds: "part" is compared with "whole" at each place. */
const SLOW_TABLE = 'CREATE TABLE slow (whole BLOB, part BLOB, CHECK (instr(whole, part) = 0))'
const SLOW_BYTES = 800_000

test('closing the store does not wait for the check of a backup, which nothing can interrupt', async () => {
  const dataDir = newDataDir()
  const store = await openTestStore({ dataDir })
  const db = new Sqlite(databasePath(dataDir))
  db.pragma('ignore_check_constraints = ON')
  db.exec(SLOW_TABLE)
  const half = Buffer.alloc(SLOW_BYTES / 2, 'a')
  db.prepare('INSERT INTO slow VALUES (?, ?)').run(
    Buffer.alloc(SLOW_BYTES, 'a'),
    Buffer.concat([half, Buffer.from('b')]),
  )
  db.close()
  const events: string[] = []
  const onWorker = (worker: Worker) => void worker.once('exit', () => events.push('checked'))
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const made = store.backups.create().catch((error: unknown) => error)
  const unfinished = join(dataDir, 'backups', 'unfinished.db')
  // The copy is complete and no longer in WAL mode (byte 18 of its header), so only the check is left.
  await expect.poll(() => existsSync(unfinished) && readFileSync(unfinished)[18]).toBe(1)
  for (let n = 0; n < 10; n++) await store.read('loadState')
  process.off('worker', onWorker)
  await store.close()
  events.push('closed')
  expect(await made).toMatchObject({ code: 'closed', message: expect.stringContaining('aborted') })
  expect(events).toEqual(['closed'])
  expect(listBackups(dataDir)).toEqual([])
  await expect.poll(() => events).toEqual(['closed', 'checked'])
  expect(listBackups(dataDir)).toEqual([])
})
