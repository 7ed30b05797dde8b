// Owns the sums at the end of a test run, read from the runners' own JSON reports.
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'

export interface Tally {
  passed: number
  failed: number
  skipped: number
}

export const NOTHING: Tally = { passed: 0, failed: 0, skipped: 0 }

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
 * The sums of a runner that ended with `code`. A runner that failed without a failed test (a file that did not load, no
 * report at all) counts as one failure: green must mean that it ran.
 */
export function readTally(runner: keyof typeof reports, reportFile: string, code: number): Tally {
  const tally = existsSync(reportFile)
    ? reports[runner].parse(JSON.parse(readFileSync(reportFile, 'utf8')))
    : NOTHING
  const silent = tally.failed === 0 && (code !== 0 || tally.passed === 0)
  return silent ? { ...tally, failed: 1 } : tally
}

/** `N passed, N failed`, and `, N skipped` when there are any. */
export function tallyLine(tallies: readonly Tally[]): string {
  const sum = (field: keyof Tally) => tallies.reduce((total, tally) => total + tally[field], 0)
  const skipped = sum('skipped')
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
