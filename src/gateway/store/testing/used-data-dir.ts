import { openTestStore, recordRequest, sampleKey } from './samples.ts'

/** Settles one request of 250 nano-dollars in a data dir. */
export async function fillDataDir(dataDir: string, backup: boolean): Promise<string> {
  const store = await openTestStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_1')
  if (backup) {
    await store.backups.create()
    await recordRequest(store, 'req_after_backup')
  }
  await store.close()
  return dataDir
}
