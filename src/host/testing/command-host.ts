// A gateway as the desktop app and `tollgate serve` start it, and the program that calls it over its socket.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { createHostLog } from '../log.ts'
import { type Host, startHost } from '../start.ts'

const CLI = join(import.meta.dirname, '../cli.ts')

interface Ended {
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
  /** Runs the program to its end. */
  tollgate(...args: string[]): Promise<Ended>
  /** Stops the gateway. */
  close(): Promise<void>
}

export async function startCommandHost(): Promise<CommandHost> {
  const dir = mkdtempSync(join(tmpdir(), 'tollgate-command-'))
  const log = createHostLog(() => {})
  const host = await startHost({
    dataDir: join(dir, 'data'),
    version: '0.0.0-test',
    credentials: 'memory',
    interfaceDir: null,
    createAdminKey: false,
    program: 'serve',
    log,
    onFatal: () => {},
  })
  const { baseUrl } = await host.listen(0)
  onTestFinished(async () => {
    await host.close()
    await log.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const env = { ...process.env, TOLLGATE_DATA_DIR: host.dataDir, NO_COLOR: '1' }
  return {
    host,
    baseUrl,
    env,
    tollgate: (...args) => endOf(startProgram(args, { env })),
    close: () => host.close(),
  }
}

function startProgram(
  args: readonly string[],
  options: { env: Record<string, string | undefined>; cwd?: string; input?: string },
): ChildProcess {
  const { env, cwd, input } = options
  const child = spawn(process.execPath, [...SOURCE_FLAGS, CLI, ...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  return child
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('the program has no output')
  const exited = new Promise<Pick<Ended, 'code' | 'signal'>>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const [end, out, err] = await Promise.all([exited, text(stdout), text(stderr)])
  return { ...end, stdout: out, stderr: err }
}
