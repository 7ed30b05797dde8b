import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, packageScript, runNode } from './commands.ts'
import { readTestCounts, type TestCounts } from './test-summary.ts'

const configs = { unit: 'src/tooling/vitest.config.ts', long: 'src/tooling/vitest.long.config.ts' } as const

/** Runs the test files that match one of `filters`, or all: plain Node, without a display or a keyring. */
export async function runUnitTests(
  filters: readonly string[],
  kind: keyof typeof configs = 'unit',
): Promise<TestCounts> {
  const report = join(cacheDir, `vitest-${kind}.json`)
  rmSync(report, { force: true })
  const args = [
    'run',
    '--config',
    configs[kind],
    `--reporter=${join(import.meta.dirname, 'progress-reporter.ts')}`,
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ]
  const { code } = await runNode(packageScript('vitest'), args)
  return readTestCounts('vitest', [report], code)
}
