import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, packageScript, runNode } from './commands.ts'
import { readTestCounts, type TestCounts } from './test-summary.ts'

/** Runs the test files that match one of `filters`, or all: plain Node, without a display or a keyring. */
export async function runUnitTests(filters: readonly string[]): Promise<TestCounts> {
  const report = join(cacheDir, 'vitest.json')
  rmSync(report, { force: true })
  const { code } = await runNode(packageScript('vitest'), [
    'run',
    '--config',
    'src/tooling/vitest.config.ts',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ])
  return readTestCounts('vitest', report, code)
}
