// A data dir whose database is copied: its migrations take a third of the start of a gateway.
import { copyFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databasePath } from '../store/engine/files.ts'
import { openStore } from '../store/store.ts'
import { startInSameThread } from '../store/testing/same-thread.ts'

let template: Promise<string> | null = null

/** Creates a data dir as a program leaves it that has only migrated its database. Every one has the same install id. */
export async function createDataDir(): Promise<string> {
  template ??= createTemplate()
  const dataDir = createFolder()
  copyFileSync(databasePath(await template), databasePath(dataDir))
  return dataDir
}

async function createTemplate(): Promise<string> {
  const dataDir = createFolder()
  const store = await openStore({ dataDir, startWorker: startInSameThread })
  await store.close()
  return dataDir
}

function createFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tollgate-test-'))
}
