import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { tempDirForTest } from '../gateway/testing/temp-dir.ts'
import { chooseDataDir, DataDirError, prepareDataDir } from './data-dir.ts'

let scratch = ''
beforeEach(() => {
  scratch = tempDirForTest()
})

describe('chooseDataDir', () => {
  const linux = { platform: 'linux', env: {}, home: '/home/ada' } as const

  test('uses the per-user app folder of the platform', () => {
    expect(chooseDataDir(undefined, linux)).toBe('/home/ada/.config/Tollgate')
    expect(chooseDataDir(undefined, { ...linux, env: { XDG_CONFIG_HOME: '/cfg' } })).toBe('/cfg/Tollgate')
    expect(chooseDataDir(undefined, { ...linux, platform: 'darwin' })).toBe(
      '/home/ada/Library/Application Support/Tollgate',
    )
    expect(chooseDataDir(undefined, { ...linux, platform: 'win32', env: { APPDATA: '/roaming' } })).toBe(
      '/roaming/Tollgate',
    )
  })

  test('ignores a relative XDG_CONFIG_HOME', () => {
    expect(chooseDataDir(undefined, { ...linux, env: { XDG_CONFIG_HOME: 'cfg' } })).toBe(
      '/home/ada/.config/Tollgate',
    )
  })

  test('prefers the flag to the environment, and the environment to the platform', () => {
    const env = { TOLLGATE_DATA_DIR: '/from/env' }
    expect(chooseDataDir(undefined, { ...linux, env })).toBe('/from/env')
    expect(chooseDataDir('/from/flag', { ...linux, env })).toBe('/from/flag')
  })
})

describe('prepareDataDir', () => {
  test('creates the folder and its parents with mode 0700', () => {
    const dir = join(scratch, 'a/b')
    prepareDataDir(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  test('makes a readable folder private', () => {
    const dir = join(scratch, 'open')
    mkdirSync(dir)
    chmodSync(dir, 0o755)
    prepareDataDir(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  test('rejects a symbolic link, even to a folder', () => {
    mkdirSync(join(scratch, 'real'))
    symlinkSync(join(scratch, 'real'), join(scratch, 'link'))
    expect(() => prepareDataDir(join(scratch, 'link'))).toThrow(DataDirError)
  })

  test('rejects a file', () => {
    writeFileSync(join(scratch, 'file'), '')
    expect(() => prepareDataDir(join(scratch, 'file'))).toThrow(/is a file/)
  })

  test('rejects a folder with other files, and does not change its mode', () => {
    const dir = join(scratch, 'foreign')
    mkdirSync(dir)
    writeFileSync(join(dir, 'thesis.txt'), '')
    mkdirSync(join(dir, 'backups'))
    chmodSync(dir, 0o777)
    expect(() => prepareDataDir(dir)).toThrow(/thesis\.txt/)
    expect(statSync(dir).mode & 0o777).toBe(0o777)
  })

  test.each([
    ['an empty folder', []],
    ['a folder with files of the operating system', ['.DS_Store', 'lost+found']],
    ['the folder of an interrupted start', ['lock.db', 'lock.json', 'window']],
    ['a folder with a ledger and a file of the user', ['tollgate.db', 'README.txt']],
  ])('accepts %s', (_, names) => {
    const dir = join(scratch, 'taken')
    mkdirSync(dir)
    for (const name of names) writeFileSync(join(dir, name), '')
    prepareDataDir(dir)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })
})
