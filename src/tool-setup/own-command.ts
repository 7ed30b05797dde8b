// How another program can start `tollgate` on this computer.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { McpServer } from '../shared/tools/tool-config.ts'
import { shellPath } from '../shared/values/text.ts'

/** Where programs are installed that the PATH of a program started from a desktop often lacks. */
const USUAL_FOLDERS = ['/usr/local/bin', '/opt/homebrew/bin', join(homedir(), '.local/bin')]

interface StartArguments {
  /** This process's arguments: the program and its script. */
  argv: readonly string[]
  path: string
  platform: NodeJS.Platform
  exists(path: string): boolean
}

/**
 * The installed command, by its full path, or else the script that runs now. Null if there is neither. Not the batch file
 * that npm installs on Windows, which programs cannot start without a shell.
 */
export function findOwnCommand({ argv, path, platform, exists }: StartArguments = here()): string[] | null {
  const [program = '', script = ''] = argv
  const runsScript = /[\\/]cli\.(js|ts)$/.test(script) || /[\\/]tollgate$/.test(script)
  if (platform !== 'win32') {
    const folders = [...path.split(delimiter), ...USUAL_FOLDERS].filter((folder) => folder.startsWith('/'))
    const installed = folders.map((folder) => join(folder, 'tollgate')).find(exists)
    if (installed !== undefined) return [installed]
  }
  return runsScript ? [program, resolve(script)] : null
}

function here(): StartArguments {
  const { argv, platform, env } = process
  return { argv, platform, path: env.PATH ?? '', exists: existsSync }
}

/** The command line of the hook that records branches and commits, for a shell. */
export function describeGitHook(command: readonly string[], dataDir: string): string {
  return [...command, 'git-hook', '--data-dir', dataDir].map(shellPath).join(' ')
}

/** The MCP server for a key. It gets the data dir, because tools start such servers without most of their own variables. */
export function describeMcpServer(
  [command = '', ...args]: readonly string[],
  dataDir: string,
  secret: string,
): McpServer {
  const env = { TOLLGATE_API_KEY: secret, TOLLGATE_DATA_DIR: dataDir }
  return { command, args: [...args, 'mcp'], env }
}
