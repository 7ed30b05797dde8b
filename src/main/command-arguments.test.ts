import { expect, test } from 'vitest'
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
