import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempDirForFile } from '../gateway/testing/temp-dir.ts'
import { formatCounts, readTestCounts } from './test-summary.ts'

const dir = tempDirForFile()

function report(content: unknown): string {
  const file = join(dir, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

test('reads the counts of vitest', () => {
  const file = report({ numPassedTests: 3, numFailedTests: 1, numPendingTests: 2 })
  expect(readTestCounts('vitest', [file], 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
})

test('adds up the counts of Playwright', () => {
  const file = report({ stats: { expected: 4, unexpected: 0, flaky: 0, skipped: 1 } })
  expect(readTestCounts('playwright', [file, file], 0)).toEqual({ passed: 8, failed: 0, skipped: 2 })
})

test('counts a run as failed if it failed without a failed test, wrote no report, or ran no test', () => {
  const green = report({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 })
  expect(readTestCounts('vitest', [green], 1).failed).toBe(1)
  expect(readTestCounts('vitest', [join(dir, 'none.json')], 0).failed).toBe(1)
  const empty = report({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 })
  expect(readTestCounts('vitest', [empty], 0).failed).toBe(1)
})

test('formats the total in one line', () => {
  const counts = [
    { passed: 3, failed: 0, skipped: 0 },
    { passed: 2, failed: 1, skipped: 0 },
  ]
  expect(formatCounts(counts)).toBe('5 passed, 1 failed')
  expect(formatCounts([{ passed: 1, failed: 0, skipped: 2 }])).toBe('1 passed, 0 failed, 2 skipped')
})
