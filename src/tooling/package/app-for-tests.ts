// The packaged app as the end-to-end tests run it.
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newestTime } from '../build.ts'
import { cacheDir, root } from '../commands.ts'
import type { TestElectron } from '../electron-binary.ts'
import { NAME } from './config.ts'
import { copyWithFuse } from './fuses.ts'
import { packApp } from './pack-app.ts'

export interface PackagedApp {
  /** The executable as it is shipped, which no debugger can control. */
  shipped: string
  /** A copy that Playwright can control: its fuse for `--inspect` is on, and by its name Electron knows it as not packaged. */
  controllable: string
}

/** Packs what was built before, unless that was packed already. */
export async function packForTests(electron: TestElectron): Promise<PackagedApp> {
  const output = join(cacheDir, 'packaged')
  const dir = join(output, 'linux-unpacked')
  const app = { shipped: join(dir, NAME), controllable: join(dir, 'electron') }
  const packed = statSync(app.controllable, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = ['package.json', 'out', 'resources', 'src/tooling/package'].map((path) => join(root, path))
  if (packed < Math.max(...[...sources, dirname(electron.path)].map((path) => newestTime(path)))) {
    await packApp({ electron, output, dir: true })
    copyWithFuse(app.shipped, app.controllable, 'enableNodeCliInspectArguments')
  }
  return app
}
