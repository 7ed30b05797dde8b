import { expect, test } from 'vitest'
import { startableOnWindows } from './child.ts'

const env = { Path: 'C:\\Windows;C:\\npm', PATHEXT: '.EXE;.CMD', ComSpec: 'C:\\Windows\\cmd.exe' }

test('a program is started by its path, with its arguments as they are', () => {
  const found = startableOnWindows('git', ['a b'], env, (path) => path === 'C:\\Windows\\git.exe')
  expect(found).toEqual({ file: 'C:\\Windows\\git.exe', args: ['a b'], isVerbatim: false })
  expect(startableOnWindows('none', [], env, () => false)).toMatchObject({ file: 'none' })
})

test('a batch file is started by cmd.exe, which must not read the arguments as commands', () => {
  const found = startableOnWindows(
    'codex',
    ['say "hi" & exit', 'C:\\x\\'],
    env,
    (path) => path === 'C:\\npm\\codex.cmd',
  )
  expect(found.file).toBe('C:\\Windows\\cmd.exe')
  expect(found.isVerbatim).toBe(true)
  // Twice: once for the command line, once for the batch file.
  const quoted = String.raw`^^^"say^^^ \^^^"hi\^^^"^^^ ^^^&^^^ exit^^^" ^^^"C:\x\\^^^"`
  expect(found.args).toEqual(['/d', '/s', '/c', `"C:\\npm\\codex.cmd ${quoted}"`])
})
