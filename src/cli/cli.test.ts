import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { forEachTest } from '../gateway/testing/lifetime.ts'
import { ReadyLine } from '../gateway/testing/program.ts'
import { appVersion } from '../host/files.ts'
import { CliProcesses } from '../host/testing/cli-processes.ts'
import { LOG_FILE } from '../shared/desktop/log-file.ts'
import { runHere } from './testing/command-host.ts'

const program = forEachTest(async () => new CliProcesses())

const BAD_USAGE = expect.stringMatching(/See tollgate (serve )?--help\./)

test('a word that is no command is bad usage', async () => {
  expect(await program.tollgate('sevre').ended).toMatchObject({ code: 2, stdout: '', stderr: BAD_USAGE })
})

test.each([[['serve', '--prot', '1']], [['serve', '--port', 'x']]])('%j is bad usage', async (args) => {
  expect(await runHere(args)).toMatchObject({ code: 2, stderr: BAD_USAGE })
})

test('without a command it prints the help to stderr, as bad usage', async () => {
  const { code, stdout, stderr } = await runHere([])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: tollgate <command>/)
})

test('--version and --help print to stdout', async () => {
  expect((await program.tollgate('--version').ended).stdout).toBe(`${appVersion()}\n`)
  for (const [args, text] of [
    [['--help'], 'run the gateway without a window'],
    [['serve', '--help'], 'tollgate serve [options]'],
  ] as const)
    expect(await runHere(args)).toMatchObject({ code: 0, stdout: expect.stringContaining(text) })
})

test.each([
  ['an uncaught exception', `throw new Error('boom')`],
  ['an unhandled rejection', `Promise.reject(new Error('boom'))`],
])('%s is logged and shuts the program down with exit code 1', async (_, thrown) => {
  const run = program.runWithFault(thrown, 'serve', '--port', '0')
  await run.ready
  run.child.kill('SIGUSR2')
  const { code, stderr } = await run.ended
  expect(code).toBe(1)
  expect(stderr).toContain('Error: boom')
  expect(readFileSync(join(program.dataDir, LOG_FILE), 'utf8')).toContain('"message":"boom"')
  // Closed in order: the write-ahead log was checkpointed, and the lock's file was removed.
  const names = readdirSync(program.dataDir)
  expect(names).toContain('tollgate.db')
  expect(names.filter((name) => name === 'tollgate.db-wal' || name === 'lock.json')).toEqual([])
})

test('continues when the reader of its output has exited', async () => {
  const code = `process.stderr.write('log'); process.stdout.write('line')`
  const child = program.startWithFault(code, 'serve', '--port', '0')
  const [line] = await once(createInterface(child.stdout), 'line')
  const { baseUrl, ...readyLine } = ReadyLine.parse(JSON.parse(String(line)))
  expect(readyLine).toMatchObject({ dataDir: program.dataDir, version: appVersion() })
  child.stdout.destroy()
  child.stderr.destroy()
  for (let turn = 0; turn < 3; turn++) {
    child.kill('SIGUSR2')
    expect((await fetch(`${baseUrl}/healthz`)).status).toBe(200)
  }
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

test('a folder with other files exits with 3 and is not changed', async () => {
  mkdirSync(program.dataDir)
  writeFileSync(join(program.dataDir, 'thesis.txt'), '')
  chmodSync(program.dataDir, 0o777)
  const { code, stderr } = await program.tollgate('serve', '--port', '0').ended
  expect(code).toBe(3)
  expect(stderr).toContain('thesis.txt')
  expect(statSync(program.dataDir).mode & 0o777).toBe(0o777)
  expect(readdirSync(program.dataDir)).toEqual(['thesis.txt'])
})
