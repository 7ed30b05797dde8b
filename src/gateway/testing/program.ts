// The program `tollgate` in a process of its own.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { SOURCE_FLAGS } from './source-flags.ts'

/** The program that tests start: under vitest built from the sources, as it starts in half the time then. */
export const PROGRAM_FILE = process.env.TOLLGATE_TEST_PROGRAM ?? join(import.meta.dirname, '../../cli/cli.ts')

/** The line that `tollgate serve` prints when it has started. */
export const ReadyLine = z.strictObject({
  baseUrl: z.string(),
  dataDir: z.string(),
  version: z.string(),
  adminKey: z
    .string()
    .regex(/^tg-[\w-]{43}$/)
    .optional(),
})

export type ProgramProcess = ChildProcessByStdio<Writable, Readable, Readable>

export interface ExitResult {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface ProgramOptions {
  env?: Record<string, string | undefined>
  cwd?: string
  input?: string
  /** Code that runs before the program. */
  preload?: string
}

/** Programs that a failed test left running end with the test process. */
const running = new Set<ProgramProcess>()
const killAll = () => {
  for (const child of running) child.kill('SIGKILL')
}
process.once('exit', killAll)
process.once('SIGTERM', () => {
  killAll()
  process.exit(143)
})

export function spawnProgram(
  args: readonly string[],
  { env = process.env, cwd, input, preload }: ProgramOptions = {},
): ProgramProcess {
  const first = preload ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] : []
  const child = spawn(process.execPath, [...SOURCE_FLAGS, ...first, PROGRAM_FILE, ...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.stdin.end(input)
  return child
}

/** Call it at the start: it collects the output. */
export async function getEnd(child: ProgramProcess): Promise<ExitResult> {
  const [[code, signal], stdout, stderr] = await Promise.all([
    once(child, 'exit'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, signal, stdout, stderr }
}

/** Rejects when the program ends without it. */
export async function readReadyLine(
  child: ProgramProcess,
  ended: Promise<ExitResult>,
): Promise<z.infer<typeof ReadyLine>> {
  const line = once(createInterface(child.stdout), 'line').then(([first]) => String(first))
  const first = await Promise.race([line, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))])
  return ReadyLine.parse(JSON.parse(first))
}
