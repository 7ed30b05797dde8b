// Runs a command in place of this program: with its terminal, its signals and its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { EXIT } from '../../host/exit-codes.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { findExitCode, type RunSignals } from './signals.ts'
import { startableOnWindows } from './windows-command.ts'

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
export function runChild(options: ChildOptions, signals: RunSignals): Promise<ChildEnd> {
  return new Promise((resolve) => {
    const child = tryStart(options)
    if ('problem' in child) {
      resolve(child)
      return
    }
    let asked = 0
    signals.listen((signal) => {
      if (FROM_TERMINAL.includes(signal) && hasTerminal()) return
      const ends = signal === 'SIGTERM' || signal === 'SIGHUP'
      if (ends) asked += 1
      child.kill(ends && asked > 1 ? 'SIGKILL' : signal)
    })
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(explainStart(error, options.command))
    })
    child.once('exit', (code, signal) => {
      resolve({ code: code ?? (signal === null ? EXIT.failed : findExitCode(signal)), signal, problem: null })
    })
  })
}

/** Node reports some problems later, and throws others immediately, such as arguments that are too long. */
function tryStart(options: ChildOptions): ChildProcess | ChildEnd {
  try {
    return start(options)
  } catch (error) {
    return explainStart(error, options.command)
  }
}

function start({ command, args, env }: ChildOptions): ChildProcess {
  const {
    file,
    args: all,
    isVerbatim,
  } = process.platform === 'win32'
    ? startableOnWindows(command, args, env)
    : { file: command, args, isVerbatim: false }
  return spawn(file, all, { env, stdio: 'inherit', windowsVerbatimArguments: isVerbatim })
}

function hasTerminal(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
}

function explainStart(error: unknown, command: string): ChildEnd {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  const problem = isMissing
    ? `The command ${command} was not found.`
    : `The command ${command} cannot be executed: ${errorMessage(error)}.`
  return { code: isMissing ? EXIT.commandNotFound : EXIT.cannotExecute, signal: null, problem }
}
