import { join } from 'node:path'
import { z } from 'zod'
import { readOutput, runNpm } from '../commands.ts'

const Packed = z.tuple([z.object({ filename: z.string() })])

/** Runs `npm pack` on a folder, and returns the path of the archive in `destination`. */
export async function packArchive(dir: string, destination: string): Promise<string> {
  const args = ['pack', dir, '--pack-destination', destination, '--json', '--silent']
  const [{ filename }] = Packed.parse(JSON.parse(await readOutput(runNpm(args), 'npm pack')))
  return join(destination, filename)
}
