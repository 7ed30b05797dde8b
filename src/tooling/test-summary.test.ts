import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTally, tallyLine } from './test-summary.ts'

let dir = ''
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'tollgate-tally-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function report(content: unknown): string {
  const file = join(dir, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

test('reads vitest’s sums', () => {
  const file = report({ numPassedTests: 3, numFailedTests: 1, numPendingTests: 2 })
  expect(readTally('vitest', file, 1)).toEqual({ passed: 3, failed: 1, skipped: 2 })
})

test('reads Playwright’s sums', () => {
  const file = report({ stats: { expected: 4, unexpected: 0, flaky: 0, skipped: 1 } })
  expect(readTally('playwright', file, 0)).toEqual({ passed: 4, failed: 0, skipped: 1 })
})

test('counts a runner that failed without a failed test, left no report, or ran nothing, as a failure', () => {
  const green = report({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 })
  expect(readTally('vitest', green, 1).failed).toBe(1)
  expect(readTally('vitest', join(dir, 'none.json'), 0).failed).toBe(1)
  const empty = report({ numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 })
  expect(readTally('vitest', empty, 0).failed).toBe(1)
})

test('sums up in one line', () => {
  const tallies = [
    { passed: 3, failed: 0, skipped: 0 },
    { passed: 2, failed: 1, skipped: 0 },
  ]
  expect(tallyLine(tallies)).toBe('5 passed, 1 failed')
  expect(tallyLine([{ passed: 1, failed: 0, skipped: 2 }])).toBe('1 passed, 0 failed, 2 skipped')
})
