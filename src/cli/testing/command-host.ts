// A gateway as the desktop app and `tollgate serve` start it, and the program that calls it over its socket.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { PROGRAM_FILE } from '../../gateway/testing/program-file.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { appVersion } from '../../host/files.ts'
import { createHostLog } from '../../host/log.ts'
import type { Host } from '../../host/start.ts'
import { startTestHost } from '../../host/testing/test-host.ts'
import { run } from '../program.ts'

interface ExitResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface CommandHost {
  host: Host
  baseUrl: string
  /** The environment of the program. */
  env: Record<string, string | undefined>
  /** Runs the program to its end, in this process. */
  tollgate(...args: string[]): Promise<Omit<ExitResult, 'signal'>>
  /** Stops the gateway. */
  stop(): Promise<void>
  /** Stops it and removes its data. */
  close(): Promise<void>
}

export async function startCommandHost(): Promise<CommandHost> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-command-'))
  const log = createHostLog(() => {})
  const host = await startTestHost({ dataDir: join(dir, 'data'), log, version: appVersion() })
  const { baseUrl } = await host.listen(0)
  const env = { ...process.env, TOLLGATE_DATA_DIR: host.dataDir, NO_COLOR: '1' }
  return {
    host,
    baseUrl,
    env,
    tollgate: (...args) => runHere(args, host.dataDir),
    stop: () => host.close(),
    async close() {
      await host.close()
      await log.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function runHere(args: readonly string[], dataDir: string): Promise<Omit<ExitResult, 'signal'>> {
  const written = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text)
      return true
    }),
  )
  vi.stubEnv('TOLLGATE_DATA_DIR', dataDir)
  try {
    return { code: await run(args), ...written }
  } finally {
    process.exitCode = undefined
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}

/** `preload` is code that runs before the program. */
export function startProgram(
  args: readonly string[],
  options: { env: Record<string, string | undefined>; cwd?: string; input?: string; preload?: string },
): ChildProcess {
  const { env, cwd, input, preload } = options
  const first =
    preload === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
  const child = spawn(process.execPath, [...SOURCE_FLAGS, ...first, PROGRAM_FILE, ...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  return child
}

export async function getEnd(child: ChildProcess): Promise<ExitResult> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the program has no output')
  const exited = new Promise<Pick<ExitResult, 'code' | 'signal'>>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const [end, out, err] = await Promise.all([exited, text(stdout), text(stderr)])
  return { ...end, stdout: out, stderr: err }
}
