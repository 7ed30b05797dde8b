import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { THREADS } from '../threads.ts'

/** `require("./start.js")` */
const REQUIRED = /require\("\.\/([\w.-]+)"\)/g

/**
 * The files of the built gateway that the command `tollgate` can load, by name. The build also has those of the desktop app,
 * which shares most of them. Throws when one is missing or loads Electron.
 */
export function listCommandFiles(builtDir: string): string[] {
  // A loop over a set also visits what is added meanwhile.
  const found = new Set(['cli.js', ...Object.keys(THREADS).map((name) => `${name}.js`)])
  for (const name of found) {
    const code = readFileSync(join(builtDir, name), 'utf8')
    if (code.includes('require("electron")')) throw new Error(`${name} of the command loads Electron.`)
    for (const [, required = ''] of code.matchAll(REQUIRED)) {
      if (existsSync(join(builtDir, required))) found.add(required)
    }
  }
  return [...found].sort()
}
