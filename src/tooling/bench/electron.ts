// Tollgate in Electron: the built app, on Linux with its own virtual display.
import type { ChildProcess } from 'node:child_process'
import { root } from '../commands.ts'
import { electronForTests } from '../electron-binary.ts'
import { findLine, type Processes } from './processes.ts'

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

/** Starts the app with its window on Overview, and gives the address of Chromium's debugging protocol. */
export async function startApp(
  processes: Processes,
  { path, env }: Electron,
  dataDir: string,
): Promise<{ child: ChildProcess; host: string }> {
  // Chromium refuses to start its sandbox as root.
  const switches = [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--remote-debugging-port=0']
  const flags = ['--port', '0', '--data-dir', dataDir, '--credentials', 'memory']
  const child = processes.start(path, [...switches, root, ...flags], { env, output: 'stderr' })
  const line = await findLine(child.stderr, /DevTools listening on/)
  child.stderr?.resume()
  return { child, host: new URL(line.slice(line.indexOf('ws://'))).host }
}
