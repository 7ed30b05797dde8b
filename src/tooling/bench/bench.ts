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
import { measureCounts } from './cases/counts.ts'
import { measureDisk } from './cases/disk.ts'
import { measureFeatures } from './cases/features.ts'
import { measureGrowth } from './cases/growth.ts'
import { measurePacedStreams } from './cases/paced.ts'
import { measureProfile } from './cases/profile.ts'
import { measureProxies } from './cases/proxies.ts'
import { measureRates } from './cases/rates.ts'
import { measureStart } from './cases/start.ts'
import { measureThroughput } from './cases/throughput.ts'
import { measureWindow } from './cases/window.ts'
import { describeMachine, type RunReport, writePage, writeScalingPage } from './page.ts'
import { type CaseReport, formatText, goalTable } from './report.ts'
import { Session } from './session.ts'
import { SIZES } from './sizes.ts'

interface Case {
  measure(session: Session): Promise<CaseReport>
  /** It measures the targets that are compared with each other. */
  compares?: true
  /** It needs the built app. */
  isBuilt?: true
  /** It runs only by `--only`, and has a page of its own. */
  isSeparate?: true
}

/** In the order in which they run. Those come first that do not depend on the machine. */
const cases: Readonly<Record<string, Case>> = {
  counts: { measure: measureCounts },
  throughput: { measure: measureThroughput, compares: true },
  rates: { measure: measureRates, compares: true },
  paced: { measure: measurePacedStreams, compares: true },
  features: { measure: measureFeatures },
  disk: { measure: measureDisk },
  start: { measure: measureStart },
  growth: { measure: measureGrowth },
  window: { measure: measureWindow, isBuilt: true },
  profile: { measure: measureProfile },
  proxies: { measure: measureProxies, isSeparate: true },
}

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
if (only !== undefined && !Object.hasOwn(cases, only))
  throw new Error(`--only takes one of ${Object.keys(cases).join(', ')}.`)

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
  for (const [name, { measure, compares, isBuilt, isSeparate }] of Object.entries(cases)) {
    if ((only === undefined ? isSeparate : only !== name) || (isBuilt && !sizes.builtApp)) continue
    if (!compares) await session.stopCompared()
    addReport(await measure(session))
  }
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
