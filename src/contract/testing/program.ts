import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { type TestClient, testClient } from '../../gateway/testing/gateway.ts'
import { PROGRAM_FILE } from '../../gateway/testing/program-file.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'

export const Ready = z.strictObject({
  baseUrl: z.string(),
  dataDir: z.string(),
  version: z.string(),
  adminKey: z.string().optional(),
})

export interface ExitResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProgram {
  child: ChildProcess
  /** The one line on stdout; rejects when the program ends without it. */
  ready: Promise<z.infer<typeof Ready>>
  ended: Promise<ExitResult>
}

/** Programs that a failed test left running end with the test process. */
const running = new Set<ChildProcess>()
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', killAll)
process.once('SIGTERM', () => {
  killAll()
  process.exit(143)
})

/** Runs `tollgate serve` with these flags, without the environment of the user who runs the tests. */
export function serve(flags: readonly string[], env: Record<string, string> = {}): RunningProgram {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE, XDG_CACHE_HOME } = process.env
  const child = spawn(process.execPath, [...SOURCE_FLAGS, PROGRAM_FILE, 'serve', ...flags], {
    env: { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, XDG_CACHE_HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const outputs = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = once(child, 'exit').then(async ([code]): Promise<ExitResult> => {
    const [stdout, stderr] = await outputs
    return { code, stdout, stderr }
  })
  const line = once(createInterface(child.stdout), 'line').then(([first]) => String(first))
  const ready = Promise.race([line, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]).then(
    (first) => Ready.parse(JSON.parse(first)),
  )
  // A caller that only waits for the exit does not handle this rejection.
  ready.catch(() => undefined)
  return { child, ready, ended }
}

export interface Program extends TestClient {
  dataDir: string
  pid: number
  /** Sends SIGTERM and waits for the exit. */
  terminate(): Promise<ExitResult>
  /** Sends SIGKILL, as a crash. */
  kill(): Promise<void>
  /** Terminates it and removes its data dir. Throws unless it exited with 0 and logged no error. */
  close(): Promise<void>
}

/** Starts a program on a new data dir, or on that of an earlier program, with its admin key. */
export async function startProgram(earlier?: { dataDir: string; admin: string }): Promise<Program> {
  const dataDir = earlier?.dataDir ?? mkdtempSync(join(tmpdir(), 'tollgate-contract-'))
  const { child, ready, ended } = serve(['--port', '0', '--data-dir', dataDir, '--credentials', 'memory'])
  const { baseUrl, adminKey } = await ready
  const terminate = () => {
    child.kill('SIGTERM')
    return ended
  }
  return {
    ...testClient(baseUrl, earlier?.admin ?? adminKey ?? ''),
    dataDir,
    pid: child.pid ?? 0,
    terminate,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async close() {
      const { code, stderr } = await terminate()
      rmSync(dataDir, { recursive: true, force: true })
      if (code !== 0 || / error /.test(stderr)) throw new Error(`The program exited with ${code}: ${stderr}`)
    },
  }
}
