// The program `tollgate` in separate processes, on one data folder.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { PROGRAM_FILE } from '../../gateway/testing/program-file.ts'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'

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

type Child = ChildProcessByStdio<null, Readable, Readable>

interface Run {
  child: Child
  /** The first line on stdout, or null when there was none. */
  firstLine: Promise<string | null>
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

export class CliProcesses {
  readonly dataDir = join(mkdtempSync(join(tmpdir(), 'tollgate-cli-')), 'data')
  readonly #running: Child[] = []

  tollgate(...args: string[]): Run {
    return observe(this.#start([PROGRAM_FILE, ...args]))
  }

  /** The program, with code that runs on SIGUSR2. */
  runWithFault(statements: string, ...args: string[]): Run {
    return observe(this.startWithFault(statements, ...args))
  }

  /** Starts as `runWithFault` does, with output that nothing has read yet. */
  startWithFault(statements: string, ...args: string[]): Child {
    const code = `process.on('SIGUSR2', () => { ${statements} })`
    return this.#start([
      '--import',
      `data:text/javascript,${encodeURIComponent(code)}`,
      PROGRAM_FILE,
      ...args,
    ])
  }

  /** Kills all that still run, and removes the data folder. */
  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL')
    rmSync(dirname(this.dataDir), { recursive: true, force: true })
  }

  #start(argv: string[]): Child {
    const env = { ...process.env, TOLLGATE_CREDENTIALS: 'memory', TOLLGATE_DATA_DIR: this.dataDir }
    const child = spawn(process.execPath, [...SOURCE_FLAGS, ...argv], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running.push(child)
    return child
  }
}

function observe(child: Child): Run {
  const stdout = text(child.stdout)
  const stderr = text(child.stderr)
  let seen = ''
  const firstLine = new Promise<string | null>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString('utf8')
      if (seen.includes('\n')) resolve(seen.split('\n')[0] ?? null)
    })
    child.stdout.on('end', () => resolve(null))
  })
  const code = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const ended = Promise.all([code, stdout, stderr]).then(([exitCode, out, err]) => ({
    code: exitCode,
    stdout: out,
    stderr: err,
  }))
  return { child, firstLine, ended }
}

/** Reads the message of `tollgate serve` after its start. Throws if it ends before. */
export async function ready(run: Run): Promise<z.infer<typeof ReadyLine>> {
  const line = await run.firstLine
  if (line === null) throw new Error(`tollgate ended early: ${(await run.ended).stderr}`)
  return ReadyLine.parse(JSON.parse(line))
}
