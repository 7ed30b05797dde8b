// Runs a command in place of this program: with its terminal, its signals and its end.
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import spawn from 'cross-spawn'
import { EXIT } from '../../host/exit-codes.ts'
import { errorMessage } from '../../shared/values/text.ts'

export interface ChildEnd {
  code: number
  /** The signal that ended it. */
  signal: NodeJS.Signals | null
  /** Why it could not be started; null if it was. */
  problem: string | null
}

interface ChildOptions {
  command: string
  args: readonly string[]
  env: Record<string, string | undefined>
}

/** Signals that a terminal sends to all programs that run in it, and so to the child too. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Runs the command to its end. Signals go to it; a second SIGTERM or SIGHUP kills it. */
export function runChild({ command, args, env }: ChildOptions, signals: RunSignals): Promise<ChildEnd> {
  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      // Node itself starts no batch files on Windows, which npm installs.
      child = spawn(command, [...args], { env, stdio: 'inherit' })
    } catch (error) {
      // Arguments that are too long, for instance; Node reports other problems later.
      resolve(explainStart(error, command))
      return
    }
    let asked = 0
    signals.listen((signal) => {
      if (FROM_TERMINAL.includes(signal) && hasTerminal()) return
      const ends = signal === 'SIGTERM' || signal === 'SIGHUP'
      if (ends) asked += 1
      child.kill(ends && asked > 1 ? 'SIGKILL' : signal)
    })
    child.on('error', (error) => {
      // Not one of a signal that could not be sent.
      if (child.pid === undefined || isMissing(error)) resolve(explainStart(error, command))
    })
    child.once('exit', (code, signal) => {
      resolve({ code: code ?? (signal === null ? EXIT.failed : findExitCode(signal)), signal, problem: null })
    })
  })
}

function hasTerminal(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function explainStart(error: unknown, command: string): ChildEnd {
  if (isMissing(error))
    return { code: EXIT.commandNotFound, signal: null, problem: `The command ${command} was not found.` }
  const problem = `The command ${command} cannot be executed: ${errorMessage(error)}.`
  return { code: EXIT.cannotExecute, signal: null, problem }
}

const HANDLED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Signals that end a program without a trace, as a user or a system requests it. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']

/**
 * From its creation until `release`, no signal ends this program by itself, so that no key is left behind. At first a signal
 * stops the preparation of the command, and a second one everything; later phases listen for themselves.
 */
export class RunSignals {
  /** The signal that stopped the preparation. */
  first: NodeJS.Signals | null = null
  readonly #stop = new AbortController()
  #listener = (signal: NodeJS.Signals): void => {
    if (this.first !== null) process.exit(EXIT.failed)
    this.first = signal
    this.#stop.abort(new Error(`stopped by ${signal}`))
  }
  readonly #onSignal = (signal: NodeJS.Signals) => this.#listener(signal)

  constructor() {
    for (const name of HANDLED) process.on(name, this.#onSignal)
  }

  /** Aborts with the first signal. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  /** All signals from now on go to `listener`. */
  listen(listener: (signal: NodeJS.Signals) => void): void {
    this.#listener = listener
  }

  release(): void {
    for (const name of HANDLED) process.off(name, this.#onSignal)
  }
}

/** The exit code that shells give to a program that a signal has ended. */
export function findExitCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal]
}

/** Ends this program by the signal that ended the child, so that a shell sees the same. Returns if that is not possible. */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  if (process.platform === 'win32' || !ENDING.includes(signal)) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The signal arrives in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
