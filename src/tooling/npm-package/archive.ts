import { join } from 'node:path'
import { z } from 'zod'
import { run } from '../commands.ts'

const Packed = z.tuple([z.object({ filename: z.string() })])

/** Runs `npm pack` on a folder, and returns the path of the archive in `destination`. */
export async function packArchive(dir: string, destination: string): Promise<string> {
  const { code, output } = await runNpm([
    'pack',
    dir,
    '--pack-destination',
    destination,
    '--json',
    '--silent',
  ])
  if (code !== 0) throw new Error(`npm pack failed:\n${output}`)
  const [{ filename }] = Packed.parse(JSON.parse(output))
  return join(destination, filename)
}

function runNpm(args: readonly string[]) {
  // Set in every npm script; Windows cannot start `npm` without a shell.
  const script = process.env.npm_execpath
  return script === undefined
    ? run('npm', args, { stdio: 'pipe' })
    : run(process.execPath, [script, ...args], { stdio: 'pipe' })
}
