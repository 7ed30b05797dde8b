import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `require("./start.js")`, and the files that threads are started from. */
const OTHER_FILE = /require\("\.\/([\w.-]+)"\)|["'`](?:\.\/)?([\w-]+-worker\.js)["'`]/g

/**
 * The files of the built gateway that the command `tollgate` can load, by name. The build also has those of the desktop app,
 * which shares most of them. Throws when one of them loads Electron.
 */
export function listCommandFiles(builtDir: string): string[] {
  // A loop over a set also visits what is added meanwhile.
  const found = new Set(['cli.js'])
  for (const name of found) {
    const code = readFileSync(join(builtDir, name), 'utf8')
    if (code.includes('require("electron")')) throw new Error(`${name} of the command loads Electron.`)
    for (const [, required, worker] of code.matchAll(OTHER_FILE)) {
      const other = required ?? worker ?? ''
      if (existsSync(join(builtDir, other))) found.add(other)
    }
  }
  return [...found].sort()
}
