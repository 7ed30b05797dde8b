// Runs a command in place of this program: with its terminal, its signals and its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { win32 } from 'node:path'
import { EXIT } from '../../host/exit-codes.ts'
import { errorMessage } from '../../shared/values/text.ts'
import { findExitCode, type RunSignals } from './signals.ts'

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

// Windows starts only programs (.exe, .com) by themselves. npm installs batch files, which cmd.exe runs.

export interface Startable {
  file: string
  args: readonly string[]
  /** The arguments are quoted already. */
  isVerbatim: boolean
}

/** The program to start on Windows for a command as a user writes it. */
export function startableOnWindows(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean = existsSync,
): Startable {
  const file = findProgram(command, env, exists) ?? command
  if (!/\.(cmd|bat)$/i.test(file)) return { file, args, isVerbatim: false }
  const line = [escapeForCmd(file), ...args.map((arg) => escapeForCmd(escapeForCmd(quote(arg))))].join(' ')
  return { file: env.ComSpec || 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true }
}

function findProgram(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  exists: (path: string) => boolean,
): string | null {
  const extensions = (env.PATHEXT || '.COM;.EXE;.BAT;.CMD').split(';')
  const names =
    win32.extname(command) === '' ? extensions.map((each) => command + each.toLowerCase()) : [command]
  const hasFolder = /[\\/]/.test(command)
  const folders = hasFolder ? [''] : (env.Path ?? env.PATH ?? '').split(win32.delimiter)
  for (const folder of folders) {
    const program = names.map((name) => (folder === '' ? name : win32.join(folder, name))).find(exists)
    if (program !== undefined) return program
  }
  return null
}

/** As the C runtime of Windows reads arguments: backslashes count only before a quotation mark. */
function quote(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`
}

/** cmd.exe reads a batch file's arguments twice: once itself, once in the file. */
function escapeForCmd(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}
