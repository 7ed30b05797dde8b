// The app's message about data of a newer version. `src/contract/downgrade.test.ts` checks it without a window.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createNewerData } from '../host/testing/newer-data.ts'
import { exitWithNewerData } from './older-backup.ts'

const { electron } = vi.hoisted(() => ({
  electron: { showMessageBox: vi.fn(), hide: vi.fn(), exit: vi.fn(), relaunch: vi.fn() },
}))
vi.mock('electron', () => ({
  app: { exit: electron.exit, relaunch: electron.relaunch },
  BrowserWindow: { getAllWindows: () => [{ hide: electron.hide }] },
  dialog: { showMessageBox: electron.showMessageBox },
}))

const log = { flushSync: () => undefined }
let dataDir = ''
beforeEach(() => {
  vi.resetAllMocks()
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  dataDir = mkdtempSync(join(tmpdir(), 'tollgate-newer-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

const shown = () => electron.showMessageBox.mock.calls[0]?.[0]

test('going back to the backup keeps the newer database, and starts the app again', async () => {
  const { error, backup, spentUsd, reopen } = await createNewerData(dataDir, true)
  const newer = readFileSync(join(dataDir, 'tollgate.db'))
  electron.showMessageBox.mockResolvedValue({ response: 1 })
  expect(await exitWithNewerData(error, dataDir, log)).toBe(true)
  const box = shown()
  expect(box.message).toBe('A newer version of Tollgate has used this data')
  expect(box.detail).toContain(`tollgate restore ${backup}`)
  expect(box.buttons).toEqual(['Quit', 'Go back to the backup'])
  expect(electron.hide).toHaveBeenCalled()
  expect(electron.relaunch).toHaveBeenCalledTimes(1)
  expect(electron.exit).toHaveBeenCalledWith(0)

  expect(await reopen()).toBe(spentUsd)
  const kept = readdirSync(dataDir).find((name) => name.startsWith('tollgate.db.replaced-')) ?? ''
  expect(readFileSync(join(dataDir, kept)).equals(newer)).toBe(true)
})

test('quitting changes nothing', async () => {
  const { error, reopen } = await createNewerData(dataDir, true)
  const newer = readFileSync(join(dataDir, 'tollgate.db'))
  electron.showMessageBox.mockResolvedValue({ response: 0 })
  await exitWithNewerData(error, dataDir, log)
  expect(electron.relaunch).not.toHaveBeenCalled()
  expect(electron.exit).toHaveBeenCalledWith(3)
  expect(readFileSync(join(dataDir, 'tollgate.db')).equals(newer)).toBe(true)
  await expect(reopen()).rejects.toThrow('newer version')
})

test('without a backup that this version can open, quitting is all that is offered', async () => {
  const { error } = await createNewerData(dataDir, false)
  electron.showMessageBox.mockResolvedValue({ response: 0 })
  await exitWithNewerData(error, dataDir, log)
  const box = shown()
  expect(box.buttons).toEqual(['Quit'])
  expect(box.detail).toContain('There is no backup that this version can open.')
  expect(existsSync(join(dataDir, 'tollgate.db'))).toBe(true)
})

test('any other error is not its business', async () => {
  expect(await exitWithNewerData(new Error('other'), dataDir, log)).toBe(false)
  expect(electron.exit).not.toHaveBeenCalled()
})
