// Owns where the app's own files stand: its version, the built interface, the built entries. Knows nothing of the
// user's data. Sources (`src/host`) and builds (`out/main`) both lie two folders below the app's root.
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

const Manifest = z.object({ version: z.string() })

export const appRoot = resolve(import.meta.dirname, '../..')

/** The version in the app's package.json. */
export function appVersion(): string {
  return Manifest.parse(JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8'))).version
}

/** The folder of the built interface, or null before the first build. */
export function builtInterface(): string | null {
  const dir = join(appRoot, 'out/renderer')
  return existsSync(join(dir, 'index.html')) ? dir : null
}
