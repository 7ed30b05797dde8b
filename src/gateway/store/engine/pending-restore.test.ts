import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../store.ts'
import { makeNewer, setUpPendingRestore } from '../testing/pending-restore.ts'
import { temporary } from '../testing/samples.ts'
import { databasePath, pendingRestorePath } from './files.ts'

const { tempDir } = temporary(onTestFinished)

describe('scheduling a restore', () => {
  test('lists backups newest first, keeps one pending restore, and cancels it for its own backup only', async () => {
    const dataDir = tempDir()
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    expect(await store.backups.list()).toEqual({ backups: [], restoreAtStart: null })
    const first = await store.backups.create()
    const second = await store.backups.create()
    expect(await store.backups.list()).toEqual({ backups: [second, first], restoreAtStart: null })
    expect(second.bytes).toBe(statSync(join(dataDir, 'backups', second.id)).size)
    await store.backups.scheduleRestore(first.id)
    expect(await store.backups.scheduleRestore(second.id)).toMatchObject({ restoreAtStart: second.id })
    expect(await store.backups.cancelRestore(first.id)).toMatchObject({ restoreAtStart: second.id })
    rmSync(join(dataDir, 'backups', second.id))
    expect(await store.backups.cancelRestore(second.id)).toEqual({ backups: [first], restoreAtStart: null })
    expect(await store.backups.cancelRestore(second.id)).toEqual({ reason: 'unknown' })
  })

  test('rejects anything but the exact name of a backup', async () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    mkdirSync(join(dataDir, 'other'))
    for (const name of [
      '',
      '.',
      '..',
      '../tollgate.db',
      `./${id}`,
      `../backups/${id}`,
      id.toUpperCase(),
      `${id}\0`,
    ]) {
      expect([name, await store.backups.scheduleRestore(name)]).toEqual([name, { reason: 'unknown' }])
    }
    expect((await store.backups.list()).restoreAtStart).toBeNull()
  })

  test('rejects a backup that could not be restored, with the reason', async () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    const store = await openStore({ dataDir })
    onTestFinished(() => store.close())
    const path = join(dataDir, 'backups', id)
    makeNewer(path)
    expect(await store.backups.scheduleRestore(id)).toMatchObject({
      reason: 'newer',
      detail: expect.stringContaining('Update'),
    })
    writeFileSync(path, 'bad')
    expect(await store.backups.scheduleRestore(id)).toMatchObject({ reason: 'damaged' })
    rmSync(path)
    symlinkSync(databasePath(dataDir), path)
    expect(await store.backups.scheduleRestore(id)).toMatchObject({
      reason: 'damaged',
      detail: 'it is not a regular file',
    })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })

  test('waits while a backup is written', async () => {
    const { dataDir, id } = setUpPendingRestore(tempDir())
    const store = await openStore({ dataDir })
    const [made, after] = await Promise.all([store.backups.create(), store.backups.scheduleRestore(id)])
    expect(after).toMatchObject({ restoreAtStart: id, backups: [{ id: made.id }, { id }] })
    const closing = store.backups.cancelRestore(id)
    await store.close()
    expect(await closing).toMatchObject({ restoreAtStart: null })
    expect(existsSync(pendingRestorePath(dataDir))).toBe(false)
  })
})
