// Runs a command in place of this program: with its terminal, its signals and its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { EXIT } from '../exit-codes.ts'
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

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** What a terminal sends to all programs that run in it, and so to the child too. */
const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/** Runs the command to its end. Signals go to it; a second SIGTERM or SIGHUP kills it. */
export function runChild(options: ChildOptions): Promise<ChildEnd> {
  return new Promise((resolve) => {
    let asked = 0
    const onSignal = (signal: NodeJS.Signals) => {
      if (FROM_TERMINAL.includes(signal) && hasTerminal()) return
      const ends = signal === 'SIGTERM' || signal === 'SIGHUP'
      if (ends) asked += 1
      child.kill(ends && asked > 1 ? 'SIGKILL' : signal)
    }
    const end = (result: ChildEnd) => {
      for (const name of PASSED_ON) process.off(name, onSignal)
      resolve(result)
    }
    for (const name of PASSED_ON) process.on(name, onSignal)
    const child = start(options)
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) end(explainStart(error, options.command))
    })
    child.once('exit', (code, signal) => {
      end({ code: code ?? 128 + numberOf(signal), signal, problem: null })
    })
  })
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

function explainStart(error: NodeJS.ErrnoException, command: string): ChildEnd {
  const isMissing = error.code === 'ENOENT'
  const problem = isMissing
    ? `The command ${command} was not found.`
    : `The command ${command} cannot be executed: ${error.message}.`
  return { code: isMissing ? EXIT.commandNotFound : EXIT.cannotExecute, signal: null, problem }
}

function numberOf(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal]
}

/** Those that end a program without a trace, as a user or a system asks for it. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Ends this program by the signal that ended the child, so that a shell sees the same. Returns if that is not possible. */
export async function endBySignal(signal: NodeJS.Signals): Promise<void> {
  if (process.platform === 'win32' || !ENDING.includes(signal)) return
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  // The signal arrives in a later turn.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
}
