// `npm run check`: types, lint, unused code, imports, prose and commit messages. Quick enough to run before every commit. It also
// reports the test files that took too long in their last run, and the sums of lines.
import { join } from 'node:path'
import { packageScript, runNode } from './commands.ts'
import { countLines, formatLines } from './lines.ts'
import { reportSlowFiles } from './test-times.ts'

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
  { name: 'prose', script: () => join(import.meta.dirname, 'check-prose.ts'), args: [] },
  { name: 'commits', script: () => join(import.meta.dirname, 'check-commits.ts'), args: [] },
]

/** Runs the steps at the same time, and prints their results in order. Returns the names of those that failed. */
export async function check(): Promise<string[]> {
  const failed: string[] = []
  for (const running of steps.map(runStep)) {
    const { name, code, output, seconds } = await running
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${seconds.toFixed(1)} s)`)
    if (code === 0) continue
    failed.push(name)
    console.log(output.trimEnd())
  }
  return failed
}

async function runStep({ name, script, args }: Step) {
  const startedAt = performance.now()
  const outcome = await runNode(script(), args, { stdio: 'pipe' })
  return { name, ...outcome, seconds: (performance.now() - startedAt) / 1000 }
}

if (import.meta.main) {
  process.exitCode = (await check()).length === 0 ? 0 : 1
  const slow = reportSlowFiles()
  if (slow !== '') console.log(slow)
  console.log(formatLines(countLines()))
}
