// `npm run bench`: measures the gateway next to a bare proxy and a peer in one run, prints the results, and writes
// docs/performance.md. `--full` adds a log of 10,000,000 requests; `--quick` runs everything with tiny numbers from the
// sources; `--only CASE` runs one case, of which `proxies` writes its tables to docs/scaling.md; `--profile` is short for
// `--only profile`, which shows where the time is spent.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIfNeeded } from '../build.ts'
import { cacheDir } from '../commands.ts'
import { ensureSystemPackages } from '../system-packages.ts'
import { CASE_NAMES, runCases } from './cases.ts'
import { describeMachine } from './machine.ts'
import { type RunReport, writePage } from './page.ts'
import { type CaseReport, formatText, goalTable } from './report.ts'
import { writeScalingPage } from './scaling-page.ts'
import { Session } from './session.ts'
import { SIZES } from './sizes.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'boolean', default: false },
    json: { type: 'string', default: join(cacheDir, 'bench.json') },
  },
})
const only = values.profile ? 'profile' : values.only
if (only !== undefined && !CASE_NAMES.includes(only))
  throw new Error(`--only takes one of ${CASE_NAMES.join(', ')}.`)

const sizes = values.quick ? SIZES.quick : SIZES[values.full ? 'full' : 'ordinary']
if (sizes.builtApp && (await buildIfNeeded()) !== 0) throw new Error('The build failed.')
// Electron needs them, and a page without it would say nothing about the desktop app.
if (sizes.builtApp && !(await ensureSystemPackages())) throw new Error('Electron cannot be measured.')
const run: RunReport = { goals: [], tables: [], remarks: [], machine: describeMachine() }
const session = new Session(sizes)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    session.close()
    process.exit(1)
  })
try {
  await runCases(session, only, addReport)
} finally {
  session.close()
}
console.log(`\n${formatText(run.machine)}`)
if (run.goals.length > 0) console.log(`\n${formatText(goalTable(run.goals))}`)
mkdirSync(dirname(values.json), { recursive: true })
writeFileSync(values.json, JSON.stringify(run, null, 2))
if (sizes.builtApp && only === undefined) writePage(run)
if (sizes.builtApp && only === 'proxies') writeScalingPage(run.tables)
process.exit(0)

function addReport({ goals, tables, remarks = [] }: CaseReport): void {
  run.goals.push(...goals)
  run.tables.push(...tables)
  run.remarks.push(...remarks)
  for (const table of tables) console.log(`\n${formatText(table)}`)
  for (const remark of remarks) console.log(`\n${remark}`)
}
