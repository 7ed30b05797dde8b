// Windows starts only programs (.exe, .com) by themselves. npm installs batch files, which cmd.exe runs.
import { existsSync } from 'node:fs'
import { win32 } from 'node:path'

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
    const found = names.map((name) => (folder === '' ? name : win32.join(folder, name))).find(exists)
    if (found !== undefined) return found
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
