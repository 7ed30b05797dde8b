// The processes of a benchmark run. All of them end with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { root } from '../commands.ts'

const KILL_AFTER_MS = 20_000

interface StartOptions {
  env?: NodeJS.ProcessEnv
  /** Where the first line is expected. */
  output?: 'stdout' | 'stderr'
}

export class Processes {
  readonly #running = new Map<number, ChildProcess>()

  /** Starts a program, of which only one output can be read. */
  start(
    program: string,
    args: readonly string[],
    { env, output = 'stdout' }: StartOptions = {},
  ): ChildProcess {
    const stdio = output === 'stdout' ? ['ignore', 'pipe', 'ignore'] : ['ignore', 'ignore', 'pipe']
    const options = { cwd: root, stdio: stdio as ('ignore' | 'pipe')[] }
    const child = spawn(program, [...args], env === undefined ? options : { ...options, env })
    const { pid } = child
    // The wait for its output shows that a program could not be started.
    child.on('error', () => undefined)
    if (pid !== undefined) {
      this.#running.set(pid, child)
      child.once('exit', () => this.#running.delete(pid))
    }
    return child
  }

  startNode(args: readonly string[]): ChildProcess {
    return this.start(process.execPath, args)
  }

  /** Sends SIGTERM, and SIGKILL when that is not enough, and waits for the end. */
  async stop(pid: number): Promise<void> {
    const child = this.#running.get(pid)
    if (child === undefined) return
    const exit = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
    child.kill('SIGTERM')
    await exit
    clearTimeout(timer)
  }

  killAll(): void {
    for (const child of this.#running.values()) child.kill('SIGKILL')
  }
}

/** The first line that matches, after which the rest is ignored. Rejects when the output ends without it. */
export async function findLine(output: Readable | null, pattern = /./): Promise<string> {
  if (output === null) throw new Error('the output is not piped')
  const lines = createInterface({ input: output })
  return await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => pattern.test(line) && resolve(line))
    lines.once('close', () => reject(new Error('The program ended before it was ready.')))
  })
}

export function getPid(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('The program could not be started.')
  return child.pid
}
