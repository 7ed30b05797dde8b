import { rmSync } from 'node:fs'
import { afterAll } from 'vitest'
import { createDataDir } from '../../gateway/testing/data-dir.ts'
import { raiseLimits, type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { type ExitResult, getEnd, readReadyLine, spawnProgram } from '../../gateway/testing/program.ts'

export type RunningProgram = ReturnType<typeof serve>

/** Runs `tollgate serve` with these flags, without the environment of the user who runs the tests. */
export function serve(flags: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const child = spawnProgram(['serve', ...flags], {
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, XDG_CACHE_HOME, ...env },
  })
  const ended = getEnd(child)
  const ready = readReadyLine(child, ended)
  // A caller that only waits for the exit does not handle this rejection.
  ready.catch(() => undefined)
  let log = ''
  child.stderr.on('data', (bytes) => {
    log += bytes
  })
  return { child, ready, ended, readLog: () => log }
}

export interface SharedProgram extends TestClient {
  dataDir: string
  pid: number
}

export interface Program extends SharedProgram {
  /** Sends SIGTERM and waits for the exit. */
  terminate(): Promise<ExitResult>
  /** Sends SIGKILL, as a crash. */
  kill(): Promise<ExitResult>
  /** Its end, also by itself. */
  getEnd(): Promise<ExitResult>
  /** Starts it again on its data dir, at another address. */
  start(): Promise<void>
  /** Terminates and starts it. Returns what it had logged. */
  restart(): Promise<string>
  /** Returns the text that it has logged since its start. */
  readLog(): string
  /** Terminates it and removes its data dir. Throws unless it exited with 0 and logged no error. */
  close(): Promise<void>
}

/** Starts a program on a new data dir. `env`: further variables of it. */
export async function startProgram(env: Record<string, string> = {}): Promise<Program> {
  const dataDir = createDataDir()
  const flags = ['--port', '0', '--data-dir', dataDir, '--credentials', 'memory']
  let running = serve(flags, env)
  const { baseUrl, adminKey: admin = '' } = await running.ready
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal)
    return running.ended
  }
  async function terminateCleanly(): Promise<string> {
    const { code, stderr } = await end('SIGTERM')
    if (code !== 0) throw new Error(`The program exited with ${code}: ${stderr}`)
    return stderr
  }
  const program: Program = {
    ...testClient(baseUrl, admin),
    dataDir,
    pid: running.child.pid ?? 0,
    terminate: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    getEnd: () => running.ended,
    async start() {
      running = serve(flags, env)
      const again = await running.ready
      Object.assign(program, testClient(again.baseUrl, admin), { pid: running.child.pid })
    },
    async restart() {
      const logged = await terminateCleanly()
      await program.start()
      return logged
    },
    readLog: () => running.readLog(),
    async close() {
      const logged = await terminateCleanly().finally(() => rmSync(dataDir, { recursive: true, force: true }))
      throwIfError(logged)
    },
  }
  return program
}

function throwIfError(logged: string): void {
  if (/ error /.test(logged)) throw new Error(`The program logged an error: ${logged}`)
}

let shared: Promise<Program> | undefined

/**
 * The program that all files of a worker share, one after another; it ends with the worker. For tests that do not end it, and
 * depend on nothing that other files change in it. Each file has an admin key of its own, and its providers end with it.
 */
export async function shareProgram(): Promise<SharedProgram> {
  shared ??= startShared()
  const { dataDir, pid, baseUrl, createKey, readLog } = await shared
  const { secret } = await createKey({ name: 'admin', scope: 'admin' })
  const client = testClient(baseUrl, secret)
  const logged = readLog().length
  afterAll(async () => {
    for (const { id } of (await client.call('GET', '/v1/providers')).json.data)
      if (id !== 'sandbox') await client.call('DELETE', `/v1/providers/${id}`)
    throwIfError(readLog().slice(logged))
  })
  return { ...client, dataDir, pid }
}

async function startShared(): Promise<Program> {
  const program = await startProgram()
  await raiseLimits(program)
  return program
}
