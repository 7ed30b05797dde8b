import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { silentLog } from '../platform/log.ts'
import { databasePath } from './engine/files.ts'
import { openDatabase } from './engine/open.ts'
import { openRequest, settleRequest } from './ledger/ledger.ts'
import { openStore, type StoreError } from './store.ts'
import { NOON, sampleRequest, sampleSettlement } from './testing/samples.ts'
import { tempDir } from './testing/temp-store.ts'
import { fillDataDir } from './testing/used-data-dir.ts'

const usedDataDir = (backup: boolean) => fillDataDir(tempDir(), backup)

const damages: Record<string, (path: string) => void> = {
  emptied: (path) => truncateSync(path, 0),
  truncated: (path) => truncateSync(path, 4096 * 3),
  'overwritten at its start': (path) => overwrite(path, 0, 100),
  'overwritten inside': (path) => overwrite(path, 4096, 4096 * 6),
  "another program's file": (path) =>
    writeFileSync(path, 'hello, this is not a database at all\n'.repeat(500)),
  'an empty database without a schema': (path) => {
    rmSync(path)
    new Sqlite(path).exec('VACUUM').close()
  },
}

function overwrite(path: string, from: number, length: number): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from)
  closeSync(file)
}

describe.each(Object.entries(damages))('a database that is %s', (_, damage) => {
  test('is rejected and left unchanged when there is no backup', async () => {
    const dataDir = await usedDataDir(false)
    damage(databasePath(dataDir))
    const before = readFileSync(databasePath(dataDir))
    await expect(openStore({ dataDir })).rejects.toMatchObject({ name: 'StoreError', code: 'corrupt' })
    expect(readFileSync(databasePath(dataDir)).equals(before)).toBe(true)
  })

  test('is moved aside and replaced by the newest good backup', async () => {
    const dataDir = await usedDataDir(true)
    damage(databasePath(dataDir))
    writeFileSync(join(dataDir, 'backups', 'tollgate-20991231T235959999Z.db'), 'a newer backup that is bad')
    const warnings: string[] = []
    const store = await openStore({ dataDir, log: { ...silentLog, warn: (line) => warnings.push(line) } })
    expect(await store.read('loadState')).toMatchObject({ accountSpendNano: 250, isEmpty: false })
    expect(await store.read('getRequest', 'req_after_backup')).toBeNull()
    expect(await store.read('checkTotals')).toEqual([])
    expect(store.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20\d{6}T/) })
    expect(existsSync(store.restored?.movedTo ?? '')).toBe(true)
    expect(warnings).toHaveLength(1)
    await store.close()
    expect(statSync(databasePath(dataDir)).mode & 0o777).toBe(0o600)
  })
})
test('damage found while the store is open is fatal', async () => {
  const dataDir = await usedDataDir(false)
  const filled = await openStore({ dataDir })
  await Promise.all(
    Array.from({ length: 2000 }, (_, i) => filled.write('openRequest', sampleRequest(`req_more_${i}`))),
  )
  await filled.close()

  const fatal: StoreError[] = []
  const store = await openStore({ dataDir, onFatal: (error) => fatal.push(error) })
  overwrite(databasePath(dataDir), 4096, statSync(databasePath(dataDir)).size - 4096)
  await expect(store.read('listRequests', { limit: 500 })).rejects.toMatchObject({ code: 'corrupt' })
  await expect(store.read('listRequests', { limit: 500 })).rejects.toMatchObject({ code: 'corrupt' })
  expect(fatal).toMatchObject([{ code: 'corrupt' }])
  await store.close()
})

/** A data dir with a backup, in which the database is so large that the start checks only parts of it. */
async function largeDataDir(): Promise<string> {
  const dataDir = await usedDataDir(true)
  const { db } = openDatabase(dataDir, silentLog, NOON)
  const request = 'x'.repeat(100_000)
  db.transaction(() => {
    for (let nth = 0; nth < 30; nth++) {
      openRequest(db, sampleRequest(`large_${nth}`))
      settleRequest(db, sampleSettlement(`large_${nth}`, { bodies: { request, response: null } }))
    }
  })()
  db.close()
  return dataDir
}

describe('a large database', () => {
  test('that is damaged in a request is replaced at the start after the one that found it', async () => {
    const dataDir = await largeDataDir()
    const db = new Sqlite(databasePath(dataDir))
    const page = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'requests_by_key'").pluck().get()
    db.close()
    overwrite(databasePath(dataDir), (Number(page) - 1) * 4096, 4096)

    const fatal: StoreError[] = []
    const store = await openStore({ dataDir, onFatal: (error) => fatal.push(error) })
    expect(store.restored).toBeNull()
    expect(await store.read('isCheckDue', NOON)).toBe(true)
    await expect(store.read('checkDamage')).rejects.toMatchObject({ code: 'corrupt' })
    expect(fatal).toMatchObject([{ code: 'corrupt' }])
    await store.close()

    const next = await openStore({ dataDir })
    expect(next.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20/) })
    expect(await next.read('loadState')).toMatchObject({ accountSpendNano: 250 })
    await next.close()
    expect(existsSync(join(dataDir, 'check-at-start'))).toBe(false)
  })

  test.each([
    ['truncated', (path: string) => truncateSync(path, 3 * 1024 * 1024)],
    ['overwritten at its start', (path: string) => overwrite(path, 0, 100)],
    ['damaged where the start reads', (path: string) => overwrite(path, 4096, 4096 * 8)],
  ])('that is %s is replaced at the start', async (_, damage) => {
    const dataDir = await largeDataDir()
    expect(statSync(databasePath(dataDir)).size).toBeGreaterThan(3 * 1024 * 1024 - 1)
    damage(databasePath(dataDir))
    const store = await openStore({ dataDir })
    expect(store.restored).toMatchObject({ backup: expect.stringMatching(/^tollgate-20/) })
    await store.close()
  })
})

test('a check is due a day after the last, and after an end that was not clean', async () => {
  const dataDir = await usedDataDir(false)
  const isDueAfter = async (ms: number) => {
    const store = await openStore({ dataDir })
    const due = await store.read('isCheckDue', NOON + ms)
    await store.close()
    return due
  }
  const store = await openStore({ dataDir })
  await store.read('checkDamage')
  await store.write('noteCheck', NOON)
  await store.close()
  expect(await isDueAfter(1)).toBe(false)
  expect(await isDueAfter(86_400_000)).toBe(true)
  expect(await isDueAfter(-1)).toBe(true)
  openDatabase(dataDir, silentLog, NOON).db.close()
  expect(await isDueAfter(1)).toBe(true)
})
