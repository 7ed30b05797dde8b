import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { SOURCE_FLAGS } from '../../gateway/testing/source-flags.ts'

const Ready = z.object({ baseUrl: z.string(), adminKey: z.string().optional() })

/** The file of the command in today's sources, and in those of older releases. */
const COMMAND_FILES = ['src/cli/cli.ts', 'src/host/cli.ts']

/** Starts `tollgate serve` of a checked-out release, from its sources. */
export async function startRelease(program: string, dataDir: string) {
  const cli = COMMAND_FILES.map((file) => join(program, file)).find((file) => existsSync(file))
  if (cli === undefined) throw new Error(`${program} has none of ${COMMAND_FILES.join(', ')}.`)
  const flags = ['serve', '--port', '0', '--data-dir', dataDir, '--credentials', 'memory']
  const child = spawn(process.execPath, [...SOURCE_FLAGS, cli, ...flags], {
    cwd: program,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const line = once(createInterface(child.stdout), 'line').then(([first]) => String(first))
  const first = await Promise.race([line, exited.then(() => Promise.reject(new Error('It did not start.')))])
  return {
    ...Ready.parse(JSON.parse(first)),
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
