import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { root } from './commands.ts'
import { failure, formatCounts, NO_TESTS, readTestCounts } from './test-summary.ts'

const dir = tempDirForFile()

function report(content: unknown): string {
  const file = join(dir, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

const file = (name: string, tests: Readonly<Record<string, string>>) => ({
  name: join(root, name),
  status: Object.values(tests).includes('failed') || name.includes('broken') ? 'failed' : 'passed',
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
})

test('reads the counts of vitest, and which tests failed', () => {
  const testResults = [
    file('src/a.test.ts', { adds: 'passed', divides: 'failed' }),
    file('src/b.test.ts', {}),
  ]
  const path = report({ numPassedTests: 3, numFailedTests: 1, numPendingTests: 2, testResults })
  const failures = ['src/a.test.ts › divides']
  expect(readTestCounts('vitest', [path], 1)).toEqual({ passed: 3, failed: 1, skipped: 2, failures })
})

test('adds up the counts of Playwright, and names the failed tests by their groups', () => {
  const specs = [
    { title: 'opens', ok: false },
    { title: 'closes', ok: true },
  ]
  const suites = [{ title: 'shell.spec.ts', specs: [], suites: [{ title: 'the window', specs }] }]
  const path = report({ suites, stats: { expected: 4, unexpected: 1, flaky: 0, skipped: 1 } })
  const name = 'shell.spec.ts › the window › opens'
  const failures = [name, name]
  expect(readTestCounts('playwright', [path, path], 1)).toEqual({
    ...{ passed: 8, failed: 2, skipped: 2 },
    failures,
  })
})

test('counts a run as failed if it failed without a failed test, wrote no report, or ran no test', () => {
  const passing = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 }
  const broken = report({ ...passing, testResults: [file('src/broken.test.ts', {})] })
  expect(readTestCounts('vitest', [broken], 1)).toMatchObject({ failed: 1, failures: ['src/broken.test.ts'] })
  const green = report({ ...passing, testResults: [] })
  const failures = ['vitest ended with 1']
  expect(readTestCounts('vitest', [green], 1)).toMatchObject({ failed: 1, failures })
  expect(readTestCounts('vitest', [join(dir, 'none.json')], 0).failed).toBe(1)
  const empty = report({ ...passing, numPassedTests: 0, testResults: [] })
  expect(readTestCounts('vitest', [empty], 0).failed).toBe(1)
})

test('formats the total in the last line, after the names of at most 20 that failed', () => {
  const skipped = { ...NO_TESTS, passed: 1, skipped: 2 }
  expect(formatCounts([skipped])).toBe('1 passed, 0 failed, 2 skipped')
  const counts = [{ ...NO_TESTS, passed: 3 }, failure('a test\nof two lines')]
  expect(formatCounts(counts)).toBe('✗ a test of two lines\n3 passed, 1 failed')
  const lines = formatCounts(Array.from({ length: 22 }, (_, index) => failure(`test ${index}`))).split('\n')
  expect(lines.slice(19)).toEqual(['✗ test 19', '… and 2 more', '0 passed, 22 failed'])
})
