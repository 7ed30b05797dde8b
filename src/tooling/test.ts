// `npm test`: the checks, the unit and HTTP tests, and the end-to-end tests in a real window, what fails fastest first. `--all` adds
// the longer ones. `npm test -- SUBJECT` runs the checks, and the unit and HTTP tests whose path has that word. The last lines
// printed are what failed, and the total. `--only PART` runs one part, and passes the other arguments to that part's test runner.
import { parseArgs } from 'node:util'
import { check } from './check.ts'
import { ensureSystemPackages, LONG_PACKAGES } from './system-packages.ts'
import { failure, formatCounts, NO_TESTS, type TestCounts } from './test-summary.ts'
import { formatDuration, readTimes, writeTimes } from './test-times.ts'
import { runToolTests } from './tool-tests.ts'
import { runUnitTests } from './unit-tests.ts'
import { runWindowTests } from './window-tests.ts'

interface Part {
  title: string
  /** Seconds on two cores. */
  usual: number
  run(filters: readonly string[]): Promise<TestCounts>
}

const checks: Part = { title: 'checks', usual: 40, run: runChecks }
const unit: Part = { title: 'unit and HTTP tests', usual: 180, run: (filters) => runUnitTests(filters) }
const tools: Part = { title: 'tools of other projects', usual: 240, run: runToolTests }
const long: Part = { title: 'long tests', usual: 320, run: (filters) => runUnitTests(filters, 'long') }
const inWindow = (project: Parameters<typeof runWindowTests>[0], title: string, usual: number): Part => ({
  title,
  usual,
  run: (filters) => runWindowTests(project, filters),
})
const e2e = inWindow('e2e', 'end-to-end tests', 120)
const longWindow = inWindow('long', 'long end-to-end tests', 300)
const screenshots = inWindow('screenshots', 'screenshots', 540)
const bench = inWindow('bench', 'measurements of the window', 600)

async function runChecks(): Promise<TestCounts> {
  const [first, ...others] = await check()
  return first === undefined ? NO_TESTS : failure([first, ...others].join(', '))
}

/** Groups run one after another. The parts of a group run at the same time, because they wait for a part of theirs. */
type Groups = readonly (readonly Part[])[]

const usual: Groups = [[checks], [unit], [e2e]]
const sets: Readonly<Record<string, Groups>> = {
  unit: [[unit]],
  e2e: [[e2e]],
  tools: [[tools]],
  long: [[long], [longWindow]],
  screenshots: [[screenshots]],
  bench: [[bench]],
}

const { values, positionals } = parseArgs({
  options: { only: { type: 'string' }, all: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const groups = chooseGroups()
if (groups === null) {
  console.error(`--only takes ${Object.keys(sets).join(', ')}.`)
  process.exitCode = 2
} else process.exitCode = (await ensurePackages(groups)) ? await runGroups(groups) : 1

function chooseGroups(): Groups | null {
  if (values.only !== undefined) return sets[values.only] ?? null
  if (positionals.length > 0) return [[checks, unit]]
  return values.all ? [...usual, [tools, long], [longWindow]] : usual
}

async function ensurePackages(all: Groups): Promise<boolean> {
  const needed = all.flat().filter((part) => part !== checks && part !== unit)
  if (needed.length === 0) return true
  return await ensureSystemPackages(needed.includes(long) ? LONG_PACKAGES : [])
}

async function runGroups(all: Groups): Promise<number> {
  const startedAt = performance.now()
  const known = readTimes('parts')
  const counts: TestCounts[] = []
  const took: Record<string, number> = {}
  for (const [index, group] of all.entries()) {
    const titles = group.map(({ title }) => title).join(', ')
    const seconds = Math.max(...group.map(({ title, usual: most }) => known[title] ?? most))
    console.log(`${index + 1} of ${all.length}: ${titles} (about ${formatDuration(seconds)})`)
    counts.push(...(await Promise.all(group.map((part) => runPart(part, took)))))
  }
  if (positionals.length === 0) writeTimes('parts', took)
  const times = Object.entries(took).map(([title, seconds]) => `${title} ${formatDuration(seconds)}`)
  console.log(`Took ${formatDuration(secondsSince(startedAt))}: ${times.join(', ')}`)
  console.log(formatCounts(counts))
  return counts.some(({ failed }) => failed > 0) ? 1 : 0
}

async function runPart({ title, run }: Part, took: Record<string, number>): Promise<TestCounts> {
  const startedAt = performance.now()
  const counts = await run(positionals)
  took[title] = secondsSince(startedAt)
  return { ...counts, failures: counts.failures.map((name) => `${title}: ${name}`) }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1000
}
