// Folders and stores that are removed at the end of a test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createDataDir } from '../../testing/data-dir.ts'
import type { Store, StoreOptions } from '../store.ts'
import { openTestStore, sampleKey } from './samples.ts'

export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-store-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A folder with a new database. */
export function newDataDir(): string {
  const dataDir = createDataDir()
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}

/** In a new data dir unless `options` has one. */
export async function tempStore(options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openTestStore({ ...options, dataDir: options.dataDir ?? newDataDir() })
  onTestFinished(() => store.close())
  return store
}

/** A new store with these keys. */
export async function storeWithKeys(...ids: readonly string[]): Promise<Store> {
  const store = await tempStore()
  for (const id of ids) await store.write('insertKey', sampleKey(id))
  return store
}
