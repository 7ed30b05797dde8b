import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'
import { tempDirForTest } from '../../gateway/testing/temp-dir.ts'

const modules = ['interruption.ts', 'tools/run-bounded.ts'].map((path) =>
  join(import.meta.dirname, '..', path),
)
/** Runs a script with a process in the background. */
const PROGRAM = `
const [{ exitWhenInterrupted }, { runBounded }] = await Promise.all(${JSON.stringify(modules)}.map((path) => import(path)))
exitWhenInterrupted()
const script = 'sleep 300 & echo $! >pid; wait'
await runBounded(script, { cwd: process.cwd(), env: { PATH: process.env.PATH }, timeoutMs: 300_000 })`

test.runIf(process.platform === 'linux').each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a run of tools that %s ends leaves none of their processes behind',
  async (signal) => {
    const cwd = tempDirForTest()
    const args = [...SOURCE_FLAGS, '--input-type=module', '--eval', PROGRAM]
    const child = spawn(process.execPath, args, { cwd, stdio: 'inherit' })
    const exited = once(child, 'exit')
    const pid = await vi.waitFor(() => readPid(join(cwd, 'pid')))
    expect(isRunning(pid)).toBe(true)
    child.kill(signal)
    const [code] = await exited
    expect(code).toBeGreaterThan(128)
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false))
  },
)

function readPid(path: string): number {
  const pid = Number(readFileSync(path, 'utf8'))
  if (!(pid > 0)) throw new Error('The file is not written yet.')
  return pid
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
