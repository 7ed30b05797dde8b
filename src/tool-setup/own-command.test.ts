import { expect, test } from 'vitest'
import { findOwnCommand } from './own-command.ts'

const argv = ['/usr/bin/node', '/opt/tollgate/out/main/cli.js']
const started = { argv, path: '/usr/bin:/home/ann/bin', platform: 'linux' as const, exists: () => false }

test('the installed command wins, by its full path', () => {
  const exists = (path: string) => path === '/home/ann/bin/tollgate'
  expect(findOwnCommand({ ...started, exists })).toEqual(['/home/ann/bin/tollgate'])
})

test('otherwise it is the script that runs, and nothing within the desktop app', () => {
  expect(findOwnCommand(started)).toEqual(argv)
  expect(
    findOwnCommand({ ...started, argv: ['/opt/Tollgate/tollgate', '/opt/Tollgate/app.asar'] }),
  ).toBeNull()
})

test('on Windows a batch file is not a program', () => {
  const windows = { ...started, platform: 'win32' as const, argv: ['C:\\node.exe', 'C:\\npm\\cli.js'] }
  expect(findOwnCommand({ ...windows, exists: () => true })?.[0]).toBe('C:\\node.exe')
})
