import { type SpawnOptions, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'

export const root = resolve(import.meta.dirname, '../..')

/** Ignored by git: downloads, measurements and reports of scripts. */
export const cacheDir = join(root, '.cache')

const Manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) })

/** The path of the script behind a package's command, to run it with this process's Node on every platform. */
export function packageScript(name: string, command = name): string {
  const dir = join(root, 'node_modules', name)
  const { bin } = Manifest.parse(JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')))
  const script = typeof bin === 'string' ? bin : bin[command]
  if (script === undefined) throw new Error(`The package ${name} has no command ${command}.`)
  return join(dir, script)
}

export interface Outcome {
  /** The exit code; 1 when a signal ended the program or it could not be started. */
  code: number
  /** stdout and stderr, unless they were inherited. */
  output: string
}

/** Runs a program in the project's root. With `stdio: 'pipe'`, the outcome contains its output. */
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

/** Runs npm, without its own output on the terminal. */
export function runNpm(args: readonly string[], options: SpawnOptions = {}): Promise<Outcome> {
  const piped: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], ...options }
  // Set in every npm script; Windows cannot start `npm` without a shell.
  const script = process.env.npm_execpath
  return script === undefined ? run('npm', args, piped) : runNode(script, args, piped)
}

/** The output of a program. Throws unless it ends with 0. */
export async function readOutput(running: Promise<Outcome>, what: string): Promise<string> {
  const { code, output } = await running
  if (code !== 0) throw new Error(`${what} failed:\n${output}`)
  return output
}
