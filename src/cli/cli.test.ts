import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appVersion } from '../host/files.ts'
import { CliProcesses, ReadyLine, ready } from '../host/testing/cli-processes.ts'
import { LOG_FILE } from '../shared/desktop/log-file.ts'

let program: CliProcesses
beforeEach(() => {
  program = new CliProcesses()
})
afterEach(() => program.remove())

function occupy(): Promise<{ server: Server; port: number }> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: address !== null && typeof address === 'object' ? address.port : 0 })
    })
  })
}

test('serve prints one JSON line, answers requests, and exits with 0 on SIGTERM', async () => {
  const run = program.tollgate('serve', '--port', '0')
  const readyLine = await ready(run)
  expect(readyLine).toMatchObject({ dataDir: program.dataDir, version: appVersion() })
  expect(statSync(program.dataDir).mode & 0o777).toBe(0o700)

  const health = await fetch(`${readyLine.baseUrl}/healthz`)
  expect(await health.json()).toEqual({ status: 'ok', version: appVersion() })
  const keys = await fetch(`${readyLine.baseUrl}/v1/keys`, {
    headers: { authorization: `Bearer ${readyLine.adminKey}` },
  })
  expect(keys.status).toBe(200)
  await keys.body?.cancel()

  run.child.kill('SIGTERM')
  const { code, stdout } = await run.ended
  expect(code).toBe(0)
  expect(stdout.split('\n')).toEqual([expect.any(String), ''])
})

test('prints the admin key on the first start with a data dir, and never again', async () => {
  const first = program.tollgate('serve', '--port', '0')
  const { adminKey } = await ready(first)
  expect(adminKey).toBeDefined()
  first.child.kill('SIGTERM')
  const { stderr } = await first.ended
  expect(stderr).not.toContain(adminKey)

  const second = program.tollgate('serve', '--port', '0')
  expect(await ready(second)).not.toHaveProperty('adminKey')
})

test('a second start with a data dir in use exits with 3 and names the other process', async () => {
  const first = program.tollgate('serve', '--port', '0')
  const { baseUrl } = await ready(first)
  const { code, stdout, stderr } = await program.tollgate('serve', '--port', '0').ended
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain(String(first.child.pid))
  expect(stderr).toContain(baseUrl)
})

test('a port in use exits with 4 and names the port and the flag', async () => {
  const { server, port } = await occupy()
  try {
    const { code, stdout, stderr } = await program.tollgate('serve', '--port', String(port)).ended
    expect(code).toBe(4)
    expect(stdout).toBe('')
    expect(stderr).toContain(String(port))
    expect(stderr).toContain('--port')
  } finally {
    server.close()
  }
})

test.each([[['serve', '--prot', '1']], [['serve', '--port', 'x']], [['sevre']]])(
  '%j is bad usage',
  async (args) => {
    const { code, stderr } = await program.tollgate(...args).ended
    expect(code).toBe(2)
    expect(stderr).toMatch(/See tollgate (serve )?--help\./)
  },
)

test('without a command it prints the help to stderr, as bad usage', async () => {
  const { code, stdout, stderr } = await program.tollgate().ended
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: tollgate <command>/)
})

test('--version and --help print to stdout', async () => {
  expect((await program.tollgate('--version').ended).stdout).toBe(`${appVersion()}\n`)
  const help = await program.tollgate('--help').ended
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('run the gateway without a window')
  const serveHelp = await program.tollgate('serve', '--help').ended
  expect(serveHelp.code).toBe(0)
  expect(serveHelp.stdout).toContain('tollgate serve [--port N]')
})

test.each([
  ['an uncaught exception', `throw new Error('boom')`],
  ['an unhandled rejection', `Promise.reject(new Error('boom'))`],
])('%s is logged and shuts the program down with exit code 1', async (_, thrown) => {
  const run = program.runWithFault(thrown, 'serve', '--port', '0')
  await ready(run)
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
  const { baseUrl } = ReadyLine.parse(JSON.parse(String(line)))
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
