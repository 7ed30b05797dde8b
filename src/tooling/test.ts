// `npm test`: everything that must hold, from the types to the real window. Ends with one line of sums.
// `--only unit|e2e|screenshots|bench` runs one part; what follows goes to that part's runner.
import { parseArgs } from 'node:util'
import { check } from './check.ts'
import { haveSystemPackages } from './system-packages.ts'
import { NOTHING, type Tally, tallyLine } from './test-summary.ts'
import { runUnitTests } from './unit-tests.ts'
import { runWindowTests } from './window-tests.ts'

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' } },
  allowPositionals: true,
})

const parts: Record<string, () => Promise<Tally[]>> = {
  async all() {
    if (!(await haveSystemPackages())) return [FAILED]
    const checked = (await check()) === 0 ? NOTHING : FAILED
    return [checked, await runUnitTests([]), await runWindowTests('e2e', [])]
  },
  async unit() {
    return [await runUnitTests(positionals)]
  },
  async e2e() {
    return [(await haveSystemPackages()) ? await runWindowTests('e2e', positionals) : FAILED]
  },
  async screenshots() {
    return [(await haveSystemPackages()) ? await runWindowTests('screenshots', positionals) : FAILED]
  },
  async bench() {
    return [(await haveSystemPackages()) ? await runWindowTests('bench', positionals) : FAILED]
  },
}

const FAILED: Tally = { ...NOTHING, failed: 1 }

const part = parts[values.only ?? 'all']
if (part === undefined) {
  console.error(`--only takes one of ${Object.keys(parts).join(', ')}.`)
  process.exit(2)
}
const tallies = await part()
console.log(tallyLine(tallies))
process.exitCode = tallies.some(({ failed }) => failed > 0) ? 1 : 0
