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

export const reports = { vitest: VitestReport, playwright: PlaywrightReport } as const

/**
 * The counts in a runner's JSON report. `code`: the runner's exit code. A run that failed without a failed test (a file
 * that did not load, no report) or had no passed test counts as one failure.
 */
export function readTestCounts(runner: keyof typeof reports, reportFile: string, code: number): TestCounts {
  const counts = existsSync(reportFile)
    ? reports[runner].parse(JSON.parse(readFileSync(reportFile, 'utf8')))
    : NO_TESTS
  const isBroken = counts.failed === 0 && (code !== 0 || counts.passed === 0)
  return isBroken ? { ...counts, failed: 1 } : counts
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
export function formatCounts(runs: readonly TestCounts[]): string {
  const sum = (field: keyof TestCounts) => runs.reduce((total, counts) => total + counts[field], 0)
  const skipped = sum('skipped')
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
