import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { forFile } from '../../gateway/testing/lifetime.ts'
import { getEnd, spawnProgram } from '../../gateway/testing/program.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'
import { startCommandHost } from '../testing/command-host.ts'
import type { RunFailure } from './receipt.ts'

const command = await forFile(startCommandHost())

let dir = ''
beforeEach(() => {
  dir = tempDirForTest()
})

async function liveKeys() {
  const { data } = await command.client.call('listKeys')
  return data.filter(({ revokedAt, purpose }) => revokedAt === null && purpose === 'user')
}

/** The last line on stderr. */
function failureIn(stderr: string): RunFailure {
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
}

/** The list of models, which is read after the key is created, never comes. */
const STALLED = `setInterval(() => {}, 1000)
globalThis.fetch = (url, { signal }) => new Promise((resolve, reject) => {
  signal.addEventListener('abort', () => reject(signal.reason))
  process.stdout.write('stalled\\n')
})`

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s before the command starts ends the run by it, without a key',
  async (signal) => {
    const args = ['run', '--json', '--', process.execPath, '-e', `console.log('started')`]
    const child = spawnProgram(args, { env: command.env, preload: STALLED })
    const ended = getEnd(child)
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    expect(await liveKeys()).toHaveLength(1)
    child.kill(signal)
    const end = await ended
    expect(end).toMatchObject({ code: null, signal, stdout: 'stalled\n' })
    expect(failureIn(end.stderr)).toMatchObject({ signal, problem: expect.any(String), revoked: true })
    expect(await liveKeys()).toEqual([])
  },
)

test('a signal while the key is created ends the run as soon as there is a key to revoke', async () => {
  const preload = `import { ClientRequest } from 'node:http'
    const { end } = ClientRequest.prototype
    ClientRequest.prototype.end = function (...args) {
      if (this.path === '/v1/keys') process.kill(process.pid, 'SIGTERM')
      return end.apply(this, args)
    }`
  const args = ['run', '--', process.execPath, '-e', `console.log('started')`]
  const end = await getEnd(spawnProgram(args, { env: command.env, preload }))
  expect(end).toMatchObject({
    signal: 'SIGTERM',
    stdout: '',
    stderr: 'tollgate: Stopped by SIGTERM, before the command was started.\n',
  })
  expect(await liveKeys()).toEqual([])
})

test('a command that cannot be started leaves no key, and --json and --receipt say why', async () => {
  const file = join(dir, 'receipt.json')
  writeFileSync(file, 'of an earlier run')
  const missing = await command.tollgate('run', '--json', '--receipt', file, '--', 'no-such-command-here')
  expect([missing.code, missing.stdout]).toEqual([127, ''])
  expect(failureIn(missing.stderr)).toMatchObject({
    exitCode: 127,
    problem: 'The command no-such-command-here was not found.',
    revoked: true,
  })
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(failureIn(missing.stderr))}\n`)
  const folder = await command.tollgate('run', '--', dir)
  expect([folder.code, folder.stderr]).toEqual([126, expect.stringContaining('cannot be executed')])
  // Longer than any system takes.
  const long = await command.tollgate('run', '--', process.execPath, '-e', ' '.repeat(3_000_000))
  expect([long.code, long.stderr]).toEqual([126, expect.stringContaining('cannot be executed')])
  expect(await liveKeys()).toEqual([])
})

test('a run whose folder cannot be made leaves no key', async () => {
  const runs = join(command.host.dataDir, 'runs')
  rmSync(runs, { recursive: true, force: true })
  writeFileSync(runs, 'not a folder')
  onTestFinished(() => rmSync(runs))
  const run = await command.tollgate('run', '--json', '--', process.execPath, '-e', `console.log('started')`)
  expect([run.code, run.stdout]).toEqual([1, ''])
  expect(failureIn(run.stderr)).toMatchObject({
    exitCode: 1,
    problem: expect.stringMatching(/^The folder of the run cannot be made/),
    revoked: true,
  })
  expect(await liveKeys()).toEqual([])
})

test('a receipt that cannot be written is known before the run', async () => {
  const path = join(dir, 'missing', 'receipt.json')
  const run = await command.tollgate('run', '--receipt', path, '--', 'no-such-command-here')
  expect([run.code, run.stderr]).toEqual([
    1,
    expect.stringMatching(/^tollgate: The receipt cannot be written: /),
  ])
  expect(await liveKeys()).toEqual([])
})

test('when Tollgate is stopped meanwhile, --json says so, and that the key is not revoked', async () => {
  const go = join(dir, 'go')
  const wait = `const { existsSync } = process.getBuiltinModule('fs')
    setInterval(() => existsSync(${JSON.stringify(go)}) && process.exit(4), 10)`
  const ended = command.tollgate('run', '--json', '--', process.execPath, '-e', wait)
  await expect.poll(async () => (await liveKeys())[0]?.lastUsedAt ?? null).not.toBeNull()
  await command.stop()
  writeFileSync(go, '')
  const { code, stderr } = await ended
  expect(code).toBe(4)
  expect(failureIn(stderr)).toMatchObject({
    problem: 'There is no receipt. Tollgate was stopped meanwhile.',
    exitCode: 4,
    revoked: false,
  })
})
