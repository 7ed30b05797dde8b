// Owns how the unit and HTTP tests are run: plain Node, no display, no keyring.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, packageScript, runNode } from './commands.ts'
import { readTally, type Tally } from './test-summary.ts'

/** Runs vitest, with `filters` if only some files are wanted. */
export async function runUnitTests(filters: readonly string[]): Promise<Tally> {
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
  return readTally('vitest', report, code)
}
