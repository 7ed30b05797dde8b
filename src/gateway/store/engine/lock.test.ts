import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { SOURCE_FLAGS } from '../../testing/source-flags.ts'
import { openTestStore } from '../testing/samples.ts'
import { newDataDir, tempDir } from '../testing/temp-store.ts'
import { databasePath } from './files.ts'
import { DataDirHeldError, lockDataDir } from './lock.ts'

const program = fileURLToPath(new URL('../testing/locking-process.ts', import.meta.url))

async function startHolder(dataDir: string): Promise<ChildProcess> {
  const argv = [...SOURCE_FLAGS, program, dataDir]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  await once(child.stdout, 'data')
  return child
}

test('a data dir is locked by one process, which is named to others, until it is killed', async () => {
  const dataDir = tempDir()
  const child = await startHolder(dataDir)
  const attempt = () => lockDataDir(dataDir, { pid: process.pid })
  expect(attempt).toThrow(DataDirHeldError)
  expect(attempt).toThrow(`process ${child.pid}`)
  expect(attempt).toThrow(
    expect.objectContaining({
      dataDir,
      holder: { pid: child.pid, startedAt: 1, baseUrl: 'http://127.0.0.1:8655', inode: expect.any(Number) },
    }),
  )

  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
  const lock = attempt()
  lock.release()
})

test('the lock is exclusive within a process too, until it is released', () => {
  const dataDir = tempDir()
  const first = lockDataDir(dataDir, { pid: process.pid })
  expect(() => lockDataDir(dataDir, { pid: process.pid })).toThrow(DataDirHeldError)
  first.note({ baseUrl: 'http://127.0.0.1:1' })
  expect(JSON.parse(readFileSync(join(dataDir, 'lock.json'), 'utf8'))).toEqual({
    pid: process.pid,
    baseUrl: 'http://127.0.0.1:1',
    inode: statSync(join(dataDir, 'lock.db')).ino,
  })
  for (const name of ['lock.db', 'lock.json']) {
    expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600)
  }
  first.release()
  first.release()
  expect(existsSync(join(dataDir, 'lock.json'))).toBe(false)
  lockDataDir(dataDir, { pid: process.pid }).release()
})

test('locking never follows a symbolic link', () => {
  const dataDir = tempDir()
  symlinkSync(join(dataDir, 'target'), join(dataDir, 'lock.db'))
  expect(() => lockDataDir(dataDir, { pid: process.pid })).toThrow(/symbolic link/)
  expect(existsSync(join(dataDir, 'target'))).toBe(false)
})

test.each(['removed', 'replaced'])(
  'a lock whose file was %s still excludes others while the ledger is open',
  async (how) => {
    const dataDir = tempDir()
    const first = lockDataDir(dataDir, { pid: 4711 })
    const store = await openTestStore({ dataDir })
    renameSync(join(dataDir, 'lock.db'), join(dataDir, 'moved'))
    if (how === 'replaced') writeFileSync(join(dataDir, 'lock.db'), '')
    expect(() => lockDataDir(dataDir, { pid: process.pid })).toThrow('process 4711')
    await store.write('putSettings', [{ name: 'still', value: 'writing' }])
    await store.close()
    first.release()
    lockDataDir(dataDir, { pid: process.pid }).release()
  },
)

test('a lock whose file was removed is available when no process has the ledger open', async () => {
  const dataDir = newDataDir()
  await (await openTestStore({ dataDir })).close()
  lockDataDir(dataDir, { pid: process.pid }).release()
})

test('the lock stays held when the ledger is noted, and records it', async () => {
  const dataDir = tempDir()
  const lock = lockDataDir(dataDir, { pid: process.pid })
  expect(statSync(join(dataDir, 'lock.db')).size).toBe(0)
  lock.noteLedger()
  lock.noteLedger()
  expect(() => lockDataDir(dataDir, { pid: process.pid })).toThrow(DataDirHeldError)
  lock.release()
  expect(statSync(join(dataDir, 'lock.db')).size).toBeGreaterThan(0)
  const second = lockDataDir(dataDir, { pid: process.pid })
  second.noteLedger()
  second.release()
})

test('a ledger that is missing with all its backups is an error; no new one is created', async () => {
  const dataDir = newDataDir()
  const lock = lockDataDir(dataDir, { pid: process.pid })
  await (await openTestStore({ dataDir })).close()
  lock.noteLedger()
  lock.release()
  rmSync(databasePath(dataDir))
  await expect(openTestStore({ dataDir })).rejects.toMatchObject({
    code: 'corrupt',
    message: expect.stringContaining('does not start with an empty one'),
  })
  expect(existsSync(databasePath(dataDir))).toBe(false)
})
