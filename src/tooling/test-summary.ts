import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

export interface TestCounts {
  passed: number
  failed: number
  skipped: number
}

export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0 }

const VitestReport = z
  .object({ numPassedTests: z.number(), numFailedTests: z.number(), numPendingTests: z.number() })
  .transform((report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
  }))

const PlaywrightReport = z
  .object({
    stats: z.object({
      expected: z.number(),
      unexpected: z.number(),
      flaky: z.number(),
      skipped: z.number(),
    }),
  })
  .transform(({ stats }) => ({
    passed: stats.expected,
    // No retries are configured; a flaky test would be one that failed.
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  }))

const ToolsReport = z.object({ passed: z.number(), failed: z.number(), skipped: z.number() })

export const reports = { vitest: VitestReport, playwright: PlaywrightReport, tools: ToolsReport } as const

/**
 * The counts in a runner's JSON reports. `code`: the runner's exit code. A run that failed without a failed test (a file
 * that did not load, no report) or had no passed test counts as one failure.
 */
export function readTestCounts(
  runner: keyof typeof reports,
  reportFiles: readonly string[],
  code: number,
): TestCounts {
  const counts = sumCounts(
    reportFiles
      .filter((file) => existsSync(file))
      .map((file) => reports[runner].parse(JSON.parse(readFileSync(file, 'utf8')))),
  )
  const isBroken = counts.failed === 0 && (code !== 0 || counts.passed === 0)
  return isBroken ? { ...counts, failed: 1 } : counts
}

export function sumCounts(runs: readonly TestCounts[]): TestCounts {
  const sum = (field: keyof TestCounts) => runs.reduce((total, counts) => total + counts[field], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
export function formatCounts(runs: readonly TestCounts[]): string {
  const { passed, failed, skipped } = sumCounts(runs)
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
