import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, runNode } from './commands.ts'
import { readTestCounts, type TestCounts } from './test-summary.ts'

export const TOOLS_REPORT = join(cacheDir, 'tools.json')

/** Runs the tools with these ids, or all, in a process of their own, because their temporary files must be elsewhere. */
export async function runToolTests(ids: readonly string[]): Promise<TestCounts> {
  rmSync(TOOLS_REPORT, { force: true })
  const { prepareProgram } = await import('./program-for-tests.ts')
  const env = { ...process.env, ...(await prepareProgram()) }
  const { code } = await runNode(join(import.meta.dirname, 'tools/run.ts'), ids, { env })
  return readTestCounts('tools', [TOOLS_REPORT], code)
}
