import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

const Manifest = z.object({ version: z.string() })

// Sources (`src/host`) and builds (`out/main`) are both two folders below the root.
export const appRoot = resolve(import.meta.dirname, '../..')

/** The version in the app's package.json. */
export function appVersion(): string {
  return Manifest.parse(JSON.parse(readFileSync(join(appRoot, 'package.json'), 'utf8'))).version
}

/** The folder of the built interface; null if it was not built. */
export function builtInterface(): string | null {
  const dir = join(appRoot, 'out/renderer')
  return existsSync(join(dir, 'index.html')) ? dir : null
}
