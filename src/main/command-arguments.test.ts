import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandArguments, LAUNCHER_SWITCHES } from './command-arguments.ts'

const APP = '/opt/Tollgate/tollgate'

test.each([
  [
    ['keys', '--json'],
    ['keys', '--json'],
  ],
  [
    ['run', '--', 'claude', '-p', 'Hello'],
    ['run', '--', 'claude', '-p', 'Hello'],
  ],
  [['--help'], ['--help']],
  [['-v'], ['-v']],
  // It is for the command line to say that there is no such command.
  [['keyz'], ['keyz']],
  [
    [...LAUNCHER_SWITCHES, 'serve', '--port', '0'],
    ['serve', '--port', '0'],
  ],
  [
    ['--', 'run', '--', 'claude', '--debug'],
    ['run', '--', 'claude', '--debug'],
  ],
])('%j runs a command', (args, expected) => expect(commandArguments([APP, ...args])).toEqual(expected))

test.each([
  [[]],
  [['--hidden']],
  [['--port', '8656', '--data-dir', '/tmp/keys']],
  [['--inspect=0', '--remote-debugging-port=0', '--no-sandbox', 'keys']],
  [['--no-sandbox']],
  [['tollgate://keys']],
  [['tollgate:keys']],
  [['/home/ada/keys']],
  [['']],
])('%j opens the window', (args) => expect(commandArguments([APP, ...args])).toBeNull())

const dir = mkdtempSync(join(tmpdir(), 'tollgate-launcher-'))
const app = join(dir, 'tollgate')
const bin = join(dir, 'resources/bin')
const link = join(dir, 'link')
mkdirSync(bin, { recursive: true })
copyFileSync(join(import.meta.dirname, '../../resources/bin/tollgate'), join(bin, 'tollgate'))
writeFileSync(app, '#!/bin/sh\nprintf "%s\\n" "$@"\n')
chmodSync(app, 0o755)
symlinkSync(join(bin, 'tollgate'), link)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const start = (...args: string[]) => execFileSync(link, args, { encoding: 'utf8' }).split('\n').slice(0, -1)

test.skipIf(process.platform !== 'linux')('the installed tollgate runs a command without a display', () => {
  expect(start('keys', '--name', 'a b')).toEqual([...LAUNCHER_SWITCHES, 'keys', '--name', 'a b'])
  expect(start('--help')).toEqual([...LAUNCHER_SWITCHES, '--help'])
})

test.skipIf(process.platform === 'win32')('options of a command are none of Electron', () => {
  const started = start('run', 'claude', '--debug')
  expect(started.slice(started.indexOf('--'))).toEqual(['--', 'run', 'claude', '--debug'])
})

test.skipIf(process.platform === 'win32')('it opens the app without a command, and with a link', () => {
  expect(start()).toEqual([''])
  expect(start('tollgate://usage')).toEqual(['tollgate://usage'])
  expect(start('--hidden')).toEqual(['--hidden'])
})
