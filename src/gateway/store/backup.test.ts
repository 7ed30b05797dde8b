import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { listBackups, makeBackup } from './backup.ts'
import { openStore } from './store.ts'
import { NOON, recordRequest, sampleKey, sampleRequest, temporary } from './testing/samples.ts'

const { tempDir } = temporary(onTestFinished)

test('a backup holds all that was settled before, and writes go on while it is made', async () => {
  const dataDir = tempDir()
  const store = await openStore({ dataDir })
  await store.write('insertKey', sampleKey('key_a'))
  await recordRequest(store, 'req_before')
  let made = false
  const [first, second] = [store.backup(), store.backup()]
  const done = first.finally(() => {
    made = true
  })
  let during = 0
  while (!made) {
    await store.write('openRequest', sampleRequest(`req_during_${during}`))
    during += 1
  }
  const { id } = await done
  expect((await second).id).toBe(id)
  await store.close()
  expect(during).toBeGreaterThan(0)

  const copy = new Sqlite(join(dataDir, 'backups', id), { readonly: true })
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
  expect(copy.prepare("SELECT status FROM requests WHERE id = 'req_before'").pluck().get()).toBe('succeeded')
  copy.close()
})

test('the newest seven are kept, and what a crash left unfinished goes', async () => {
  const dataDir = tempDir()
  await (await openStore({ dataDir })).close()
  const made = Array.from({ length: 9 }, (_, day) => makeBackup(dataDir, NOON + day * 86_400_000))
  expect(listBackups(dataDir)).toEqual(made.toReversed().slice(0, 7))
  expect(listBackups(dataDir)[0]?.madeAt).toBe(NOON + 8 * 86_400_000)
  writeFileSync(join(dataDir, 'backups', 'unfinished.db'), 'half')
  makeBackup(dataDir, NOON + 9 * 86_400_000)
  expect(readdirSync(join(dataDir, 'backups'))).toHaveLength(7)
})
