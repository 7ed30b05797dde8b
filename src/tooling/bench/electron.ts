// Tollgate in Electron: the built app, on Linux with its own virtual display.
import type { ChildProcess } from 'node:child_process'
import { root } from '../commands.ts'
import { electronForTests } from '../electron-binary.ts'
import { sharedNow } from './clock.ts'
import { type Gateway, readBaseUrl } from './gateway.ts'
import { findLine, getPid, type Processes } from './processes.ts'
import { waitFor } from './wait-for.ts'

export interface Electron {
  path: string
  origin: string
  env: NodeJS.ProcessEnv
}

/** Throws when there is no Electron or no display. */
export async function prepareElectron(processes: Processes): Promise<Electron> {
  const { path, origin } = await electronForTests()
  if (process.platform !== 'linux') return { path, origin, env: process.env }
  const flags = ['-displayfd', '1', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp']
  const display = await findLine(processes.start('Xvfb', flags).stdout, /^\d+$/)
  const { WAYLAND_DISPLAY: _, ...env } = process.env
  return { path, origin, env: { ...env, DISPLAY: `:${display}` } }
}

/** Starts the app with more switches. Its stderr can be read. */
export function startApp(
  processes: Processes,
  { path, env }: Electron,
  dataDir: string,
  switches: readonly string[],
): ChildProcess {
  // Chromium refuses to start its sandbox as root.
  const unsandboxed = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const flags = ['--port', '0', '--data-dir', dataDir, '--credentials', 'memory']
  return processes.start(path, [...unsandboxed, ...switches, root, ...flags], { env, output: 'stderr' })
}

/** Starts the app with its window, on Overview. */
export async function startDesktopApp(
  processes: Processes,
  electron: Electron,
  dataDir: string,
): Promise<Gateway> {
  const startedAt = sharedNow()
  const child = startApp(processes, electron, dataDir, [])
  child.stderr?.resume()
  const baseUrl = await waitFor(() => readBaseUrl(dataDir))
  return { pid: getPid(child), baseUrl, readyMs: sharedNow() - startedAt }
}
