// Owns how scripts run other programs of this project. Knows nothing of what they check or build.
import { type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

export const root = resolve(import.meta.dirname, '../..')

/** Ignored by git: what scripts fetch, measure and report to each other. */
export const cacheDir = join(root, '.cache')

const Manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })

/** The script behind an installed package's command, to be run by this very Node on every platform. */
export function packageScript(name: string, command = name): string {
  const dir = join(root, 'node_modules', name)
  const { bin } = Manifest.parse(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')))
  const script = typeof bin === 'string' ? bin : bin[command]
  if (script === undefined) throw new Error(`The package ${name} has no command ${command}.`)
  return join(dir, script)
}

export interface Outcome {
  /** The exit code; 1 when a signal ended it or it could not start. */
  code: number
  /** Both outputs, when they were not inherited. */
  output: string
}

/** Runs a program in the project's root. With `stdio: 'pipe'` its output is in the outcome. */
export function run(program: string, args: readonly string[], options: SpawnOptions = {}): Promise<Outcome> {
  return new Promise((done) => {
    const child = spawn(program, [...args], { cwd: root, stdio: 'inherit', ...options })
    const chunks: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (error) => done({ code: 1, output: error.message }))
    child.on('close', (code) => done({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }))
  })
}

/** Runs a Node script of a package. */
export function runNode(
  script: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Outcome> {
  return run(process.execPath, [script, ...args], options)
}
