// Starts the packaged app as it is shipped: nothing controls it but what a user has.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from '@playwright/test'
import { z } from 'zod'
import { installedArguments, shipped } from './app.ts'

export const appDir = dirname(shipped ?? '')
/** The installed `tollgate`. */
const launcher = join(appDir, 'resources/bin/tollgate')

const Lock = z.object({ baseUrl: z.string() })

export interface Shipped {
  process: ChildProcess
  baseUrl: string
}

/** Starts the app as a menu or a terminal does, and waits until it listens. */
export async function startShipped(dataDir: string): Promise<Shipped> {
  const child = spawnShipped(installedArguments(dataDir, 0))
  const lock = join(dataDir, 'lock.json')
  const read = () => (existsSync(lock) ? Lock.safeParse(JSON.parse(readFileSync(lock, 'utf8'))).data : null)
  await expect.poll(read).toBeTruthy()
  const baseUrl = read()?.baseUrl
  if (baseUrl === undefined) throw new Error('The app has stopped.')
  return { process: child, baseUrl }
}

export function spawnShipped(args: readonly string[]): ChildProcess {
  return spawn(launcher, [...args], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Runs the installed `tollgate` where there is no display. */
export function runCommand(
  dataDir: string,
  ...args: string[]
): { status: number | null; signal: string | null; stdout: string; stderr: string } {
  const { DISPLAY: _, ...env } = process.env
  return spawnSync(launcher, args, { encoding: 'utf8', env: { ...env, TOLLGATE_DATA_DIR: dataDir } })
}

/** How many windows of the app the display shows. */
export function countWindows(): number {
  const { stdout } = spawnSync('xwininfo', ['-root', '-tree'], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => /"Tollgate".* [1-9]\d{2,}x[1-9]\d{2,}/.test(line)).length
}
