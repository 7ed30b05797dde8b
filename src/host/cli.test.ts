import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { SOURCE_FLAGS } from '../gateway/testing/source-flags.ts'
import { LOG_FILE } from '../shared/log-file.ts'
import { appVersion } from './files.ts'

const cli = join(import.meta.dirname, 'cli.ts')
const Ready = z.strictObject({
  baseUrl: z.string(),
  dataDir: z.string(),
  version: z.string(),
  adminKey: z
    .string()
    .regex(/^tg-[\w-]{43}$/)
    .optional(),
})

let dataDir = ''
let running: ChildProcess[] = []
beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'tollgate-cli-')), 'data')
})
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running = []
  rmSync(join(dataDir, '..'), { recursive: true, force: true })
})

interface Run {
  child: ChildProcess
  /** The first line on stdout, or null when there was none. */
  firstLine: Promise<string | null>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function tollgate(...args: string[]): Run {
  return run([cli, ...args])
}

/** The program, with code that runs on SIGUSR2. */
function runWithFault(thrown: string, ...args: string[]): Run {
  const code = `process.on('SIGUSR2', () => { ${thrown} })`
  return run(['--import', `data:text/javascript,${encodeURIComponent(code)}`, cli, ...args])
}

function run(argv: string[]): Run {
  const env = { ...process.env, TOLLGATE_CREDENTIALS: 'memory', TOLLGATE_DATA_DIR: dataDir }
  const child = spawn(process.execPath, [...SOURCE_FLAGS, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const stdout = text(child.stdout)
  const stderr = text(child.stderr)
  let seen = ''
  const firstLine = new Promise<string | null>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString('utf8')
      if (seen.includes('\n')) resolve(seen.split('\n')[0] ?? null)
    })
    child.stdout.on('end', () => resolve(null))
  })
  const code = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const ended = Promise.all([code, stdout, stderr]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }))
  return { child, firstLine, ended }
}

async function ready(run: Run): Promise<z.infer<typeof Ready>> {
  const line = await run.firstLine
  if (line === null) throw new Error(`tollgate ended early: ${(await run.ended).stderr}`)
  return Ready.parse(JSON.parse(line))
}

function occupy(): Promise<{ server: Server; port: number }> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve({ server, port: address !== null && typeof address === 'object' ? address.port : 0 })
    })
  })
}

test('serve prints one JSON line, answers requests, and exits with 0 on SIGTERM', async () => {
  const run = tollgate('serve', '--port', '0')
  const readyLine = await ready(run)
  expect(readyLine).toMatchObject({ dataDir, version: appVersion() })
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)

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
  const first = tollgate('serve', '--port', '0')
  const { adminKey } = await ready(first)
  expect(adminKey).toBeDefined()
  first.child.kill('SIGTERM')
  const { stderr } = await first.ended
  expect(stderr).not.toContain(adminKey)

  const second = tollgate('serve', '--port', '0')
  expect(await ready(second)).not.toHaveProperty('adminKey')
})

test('a second start with a data dir in use exits with 3 and names the other process', async () => {
  const first = tollgate('serve', '--port', '0')
  const { baseUrl } = await ready(first)
  const { code, stdout, stderr } = await tollgate('serve', '--port', '0').ended
  expect(code).toBe(3)
  expect(stdout).toBe('')
  expect(stderr).toContain(String(first.child.pid))
  expect(stderr).toContain(baseUrl)
})

test('a port in use exits with 4 and names the port and the flag', async () => {
  const { server, port } = await occupy()
  try {
    const { code, stdout, stderr } = await tollgate('serve', '--port', String(port)).ended
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
    const { code, stderr } = await tollgate(...args).ended
    expect(code).toBe(2)
    expect(stderr).toMatch(/See tollgate (serve )?--help\./)
  },
)

test('without a command it prints the help to stderr, as bad usage', async () => {
  const { code, stdout, stderr } = await tollgate().ended
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^Usage: tollgate <command>/)
})

test('--version and --help print to stdout', async () => {
  expect((await tollgate('--version').ended).stdout).toBe(`${appVersion()}\n`)
  const help = await tollgate('--help').ended
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('run the gateway without a window')
  const serveHelp = await tollgate('serve', '--help').ended
  expect(serveHelp.code).toBe(0)
  expect(serveHelp.stdout).toContain('tollgate serve [--port N]')
})

test.each([
  ['an uncaught exception', `throw new Error('boom')`],
  ['an unhandled rejection', `Promise.reject(new Error('boom'))`],
])('%s is logged and shuts the program down with exit code 1', async (_, thrown) => {
  const run = runWithFault(thrown, 'serve', '--port', '0')
  await ready(run)
  run.child.kill('SIGUSR2')
  const { code, stderr } = await run.ended
  expect(code).toBe(1)
  expect(stderr).toContain('Error: boom')
  expect(readFileSync(join(dataDir, LOG_FILE), 'utf8')).toContain('"message":"boom"')
  // Closed in order: the write-ahead log was checkpointed, and the lock's file was removed.
  const names = readdirSync(dataDir)
  expect(names).toContain('tollgate.db')
  expect(names.filter((name) => name === 'tollgate.db-wal' || name === 'lock.json')).toEqual([])
})

test('continues when the reader of its output has exited', async () => {
  const code = `process.on('SIGUSR2', () => { process.stderr.write('log'); process.stdout.write('line') })`
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(code)}`, cli, 'serve', '--port', '0']
  const env = { ...process.env, TOLLGATE_CREDENTIALS: 'memory', TOLLGATE_DATA_DIR: dataDir }
  const child = spawn(process.execPath, [...SOURCE_FLAGS, ...argv], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  const { baseUrl } = Ready.parse(JSON.parse(String(line)))
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
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'thesis.txt'), '')
  chmodSync(dataDir, 0o777)
  const { code, stderr } = await tollgate('serve', '--port', '0').ended
  expect(code).toBe(3)
  expect(stderr).toContain('thesis.txt')
  expect(statSync(dataDir).mode & 0o777).toBe(0o777)
  expect(readdirSync(dataDir)).toEqual(['thesis.txt'])
})

test('the last admin key cannot be revoked, and admin-key creates one when all are lost', async () => {
  const first = tollgate('serve', '--port', '0')
  const { baseUrl, adminKey } = await ready(first)
  const call = (url: string, secret: string | undefined, method: string, path: string) =>
    fetch(url + path, { method, headers: { authorization: `Bearer ${secret}` } })
  const Keys = z.object({ data: z.array(z.object({ id: z.string(), scope: z.string() })) })
  const { data } = Keys.parse(await (await call(baseUrl, adminKey, 'GET', '/v1/keys')).json())
  const refused = await call(baseUrl, adminKey, 'DELETE', `/v1/keys/${data[0]?.id}`)
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: 'last_admin_key' } }])
  const held = await tollgate('admin-key', '--reset').ended
  expect([held.code, held.stdout]).toEqual([3, ''])
  expect(held.stderr).toContain('Stop it, and run this command again.')
  first.child.kill('SIGTERM')
  await first.ended

  const made = await tollgate('admin-key').ended
  expect(made.code).toBe(0)
  const { adminKey: another } = z.object({ adminKey: z.string() }).parse(JSON.parse(made.stdout))
  expect(made.stderr).not.toContain(another)
  const second = tollgate('serve', '--port', '0')
  const readyLine = await ready(second)
  expect(readyLine).not.toHaveProperty('adminKey')
  expect((await call(readyLine.baseUrl, another, 'DELETE', `/v1/keys/${data[0]?.id}`)).status).toBe(200)
  expect((await call(readyLine.baseUrl, adminKey, 'GET', '/v1/keys')).status).toBe(401)
})

test('admin-key --reset revokes the keys made in the same way, and lists the others', async () => {
  const first = tollgate('serve', '--port', '0')
  const { baseUrl, adminKey } = await ready(first)
  const call = (url: string, secret: string | undefined, method: string, path: string, body?: object) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const Created = z.object({ id: z.string(), secret: z.string() })
  const created = await call(baseUrl, adminKey, 'POST', '/v1/keys', { name: 'CI', scope: 'admin' })
  const other = Created.parse(await created.json())
  first.child.kill('SIGTERM')
  await first.ended

  const reset = await tollgate('admin-key', '--reset').ended
  expect(reset.code).toBe(0)
  const Printed = z.object({
    adminKey: z.string(),
    revoked: z.array(z.object({ id: z.string(), name: z.string() })),
    kept: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  const printed = Printed.parse(JSON.parse(reset.stdout))
  expect(printed.revoked).toMatchObject([{ name: 'Admin' }])
  expect(printed.kept).toEqual([{ id: other.id, name: 'CI' }])
  expect(reset.stderr).not.toContain(printed.adminKey)

  const second = tollgate('serve', '--port', '0')
  const { baseUrl: url } = await ready(second)
  const statuses = [adminKey, printed.adminKey, other.secret].map(
    async (secret) => (await call(url, secret, 'GET', '/v1/keys')).status,
  )
  expect(await Promise.all(statuses)).toEqual([401, 200, 200])
  second.child.kill('SIGTERM')
  const { stderr } = await second.ended
  expect(stderr).toContain(`Open ${url} in a browser`)
  expect(stderr).toContain('tollgate admin-key --reset')
})
