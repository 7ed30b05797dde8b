// The program `tollgate` in separate processes, on one data folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type ExitResult,
  getEnd,
  type ProgramProcess,
  readReadyLine,
  spawnProgram,
} from '../../gateway/testing/program.ts'

interface Run {
  child: ProgramProcess
  ready: ReturnType<typeof readReadyLine>
  ended: Promise<ExitResult>
}

export class CliProcesses {
  readonly dataDir = join(mkdtempSync(join(tmpdir(), 'tollgate-cli-')), 'data')
  readonly #running: ProgramProcess[] = []
  readonly #env: Readonly<Record<string, string>>

  /** `env`: further variables of the programs. */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env
  }

  tollgate(...args: string[]): Run {
    return observe(this.#start(args))
  }

  /** The program, with code that runs on SIGUSR2. */
  runWithFault(statements: string, ...args: string[]): Run {
    return observe(this.startWithFault(statements, ...args))
  }

  /** Starts as `runWithFault` does, with output that nothing has read yet. */
  startWithFault(statements: string, ...args: string[]): ProgramProcess {
    return this.#start(args, `process.on('SIGUSR2', () => { ${statements} })`)
  }

  /** Kills all that still run, and removes the data folder. */
  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(dirname(this.dataDir), { recursive: true, force: true })
  }

  #start(args: string[], preload = ''): ProgramProcess {
    const env = {
      ...process.env,
      ...this.#env,
      TOLLGATE_CREDENTIALS: 'memory',
      TOLLGATE_DATA_DIR: this.dataDir,
    }
    const child = spawnProgram(args, { env, preload })
    this.#running.push(child)
    return child
  }
}

function observe(child: ProgramProcess): Run {
  const ended = getEnd(child)
  const ready = readReadyLine(child, ended)
  // A command that does not serve has no such line.
  ready.catch(() => undefined)
  return { child, ready, ended }
}
