import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { z } from 'zod'
import { root } from './commands.ts'

export interface TestCounts {
  passed: number
  failed: number
  skipped: number
  /** The names of those that failed. */
  failures: readonly string[]
}

export const NO_TESTS: TestCounts = { passed: 0, failed: 0, skipped: 0, failures: [] }

/** How many failed tests the last lines name. */
const NAMED = 20

/** The counts of a run that failed as a whole, under this name. */
export function failure(name: string): TestCounts {
  return { ...NO_TESTS, failed: 1, failures: [name] }
}

const VitestReport = z
  .object({
    numPassedTests: z.number(),
    numFailedTests: z.number(),
    numPendingTests: z.number(),
    testResults: z.array(
      z.object({
        name: z.string(),
        status: z.string(),
        assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
      }),
    ),
  })
  .transform((report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests,
    failures: report.testResults
      .filter(({ status }) => status === 'failed')
      .flatMap(({ name: path, assertionResults }) => {
        const name = relative(root, path)
        const failed = assertionResults.filter(({ status }) => status === 'failed')
        // A file that did not load has no failed test.
        return failed.length === 0 ? [name] : failed.map(({ fullName }) => `${name} › ${fullName}`)
      }),
  }))

interface PlaywrightSuite {
  title: string
  specs: { title: string; ok: boolean }[]
  suites?: PlaywrightSuite[] | undefined
}

const PlaywrightSuite: z.ZodType<PlaywrightSuite> = z.object({
  title: z.string(),
  specs: z.array(z.object({ title: z.string(), ok: z.boolean() })),
  suites: z.lazy(() => z.array(PlaywrightSuite)).optional(),
})

const PlaywrightReport = z
  .object({
    suites: z.array(PlaywrightSuite),
    stats: z.object({
      expected: z.number(),
      unexpected: z.number(),
      flaky: z.number(),
      skipped: z.number(),
    }),
  })
  .transform(({ suites, stats }) => ({
    passed: stats.expected,
    // No retries are configured; a flaky test would be one that failed.
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
    failures: suites.flatMap(findFailedSpecs),
  }))

function findFailedSpecs({ title, specs, suites = [] }: PlaywrightSuite): string[] {
  const own = specs.filter(({ ok }) => !ok).map((spec) => spec.title)
  return [...own, ...suites.flatMap(findFailedSpecs)].map((name) => `${title} › ${name}`)
}

const ToolsReport = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  failures: z.array(z.string()),
})

const reports = { vitest: VitestReport, playwright: PlaywrightReport, tools: ToolsReport } as const

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
  if (!isBroken) return counts
  const { failures } = counts
  return { ...counts, failed: 1, failures: failures.length > 0 ? failures : [`${runner} ended with ${code}`] }
}

export function sumCounts(runs: readonly TestCounts[]): TestCounts {
  const sum = (field: 'passed' | 'failed' | 'skipped') =>
    runs.reduce((total, counts) => total + counts[field], 0)
  const failures = runs.flatMap((counts) => counts.failures)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), failures }
}

/** The names of failed tests, one a line, and then `N passed, N failed`, and `, N skipped` when there are any. */
export function formatCounts(runs: readonly TestCounts[]): string {
  const { passed, failed, skipped, failures } = sumCounts(runs)
  const more = failures.length > NAMED ? [`… and ${failures.length - NAMED} more`] : []
  return [
    ...failures.slice(0, NAMED).map((name) => `✗ ${name.replaceAll(/\s+/g, ' ')}`),
    ...more,
    `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
  ].join('\n')
}
