// `npm run check`: types, lint, unused code and imports. Quick enough to run before every commit.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageScript, runNode } from './commands.ts'

interface Step {
  name: string
  script: () => string
  args: readonly string[]
}

const steps: readonly Step[] = [
  { name: 'types', script: () => packageScript('typescript', 'tsc'), args: ['-b', '--pretty', 'false'] },
  { name: 'lint', script: () => packageScript('@biomejs/biome', 'biome'), args: ['check', '--colors=off'] },
  {
    name: 'unused code',
    script: () => packageScript('knip'),
    args: ['--config', 'src/tooling/knip.config.ts', '--no-progress'],
  },
  { name: 'imports', script: () => join(import.meta.dirname, 'imports.ts'), args: [] },
]

/** Runs every step and prints its result. Returns the number of steps that failed. */
export async function check(): Promise<number> {
  let failed = 0
  for (const { name, script, args } of steps) {
    const started = performance.now()
    const { code, output } = await runNode(script(), args, { stdio: 'pipe' })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
    if (code === 0) continue
    failed++
    console.log(output.trimEnd())
  }
  return failed
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = (await check()) === 0 ? 0 : 1
}
