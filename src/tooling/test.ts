// `npm test`: the checks, the unit and HTTP tests, and the end-to-end tests in a real window. The last line printed is the
// total. `--only unit|e2e|long|screenshots|bench` runs one part, and passes the other arguments to that part's test runner.
import { parseArgs } from 'node:util'
import { check } from './check.ts'
import { ensureSystemPackages, LONG_PACKAGES } from './system-packages.ts'
import { formatCounts, NO_TESTS, type TestCounts } from './test-summary.ts'
import { runUnitTests } from './unit-tests.ts'
import { runWindowTests } from './window-tests.ts'

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})

const parts: Record<string, () => Promise<TestCounts[]>> = {
  async all() {
    if (!(await ensureSystemPackages())) return [FAILED]
    const checked = (await check()) === 0 ? NO_TESTS : FAILED
    return [checked, await runUnitTests([]), await runWindowTests('e2e', [])]
  },
  async unit() {
    return [await runUnitTests(positionals)]
  },
  async e2e() {
    return [(await ensureSystemPackages()) ? await runWindowTests('e2e', positionals) : FAILED]
  },
  /** Runs the tests that take too long for `npm test`. */
  async long() {
    if (!(await ensureSystemPackages(LONG_PACKAGES))) return [FAILED]
    return [await runUnitTests([], 'long'), await runWindowTests('long', [])]
  },
  async screenshots() {
    return [(await ensureSystemPackages()) ? await runWindowTests('screenshots', positionals) : FAILED]
  },
  async bench() {
    return [(await ensureSystemPackages()) ? await runWindowTests('bench', positionals) : FAILED]
  },
}

const FAILED: TestCounts = { ...NO_TESTS, failed: 1 }

const part = parts[values.only ?? 'all']
if (part === undefined) {
  console.error(`--only takes one of ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
const counts = await part()
console.log(formatCounts(counts))
process.exitCode = counts.some(({ failed }) => failed > 0) ? 1 : 0
