// Measures the window over a log of 1,000,000 requests, and prints what it found; it asserts no time. `npm run bench:window`.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { seed } from '../../src/tooling/seed/seed.ts'
import { test } from '../app.ts'
import { open, type View } from '../views.ts'
import { watchAnswers } from './answers.ts'
import { measureFilters } from './filters.ts'
import { logPainted, overviewPainted, rest } from './idle.ts'
import { ms, newReport } from './report.ts'
import { measureScrolling, traceScrolling } from './scrolling.ts'
import { timeClick, timeReload } from './stopwatch.ts'

const REQUESTS = 1_000_000
/** Fewer than the log keeps, so that none is cleared away meanwhile. */
const DAYS = 60
const TIMES = 9
const KEPT_MS = 12 * 60 * 60 * 1000
const cache = resolve(import.meta.dirname, '../../.cache')
const dataDir = join(cache, 'seeded/window')
const stamp = join(cache, 'seeded/window.json')

test('the window over a million requests', async ({ started }) => {
  makeData()
  const app = await started.launch({ dataDir })
  const { window, electron, send } = app
  for (const id of ['openai', 'anthropic'])
    await send('PUT', `/v1/providers/${id}`, { credential: 'sk-of-nobody-at-all' }, z.unknown())
  const answers = watchAnswers(window)
  const report = newReport()
  const gpu = await electron.evaluate(({ app: running }) => running.getGPUFeatureStatus().gpu_compositing)
  report.line('requests in the log', REQUESTS.toLocaleString('en-US'))
  report.line('machine', `${cpus().length} cores, ${cpus()[0]?.model}; GPU compositing: ${gpu}`)
  report.line('load before (1, 5, 15 minutes)', load())

  const link = (view: View) => window.getByRole('navigation').getByRole('link', { name: view, exact: true })
  const openLog = () => timeClick(window, link('Requests'), logPainted)
  const openOverview = () => timeClick(window, link('Overview'), overviewPainted)
  report.line('log: first click after the start', ms(await openLog()))
  report.line('overview: first click after the start', ms(await openOverview()))

  report.times('log: click until rows', '300 ms', await repeat(openLog, () => open(window, 'Keys')))
  answers()
  const reloaded = await repeat(() => timeReload(window, logPainted), rest)
  report.times('log: page loaded anew until rows', '–', reloaded)
  report.slowest('log: page loaded anew', answers())
  await measureScrolling(app, report)
  await traceScrolling(app, join(cache, 'bench-window-scroll.trace.json'), report)
  await measureFilters(app, report, answers)

  const opened = await repeat(openOverview, () => open(window, 'Requests'))
  report.times('overview: click until all is painted', '300 ms', opened)
  answers()
  const again = await repeat(() => timeReload(window, overviewPainted), rest)
  report.times('overview: page loaded anew until all is painted', '–', again)
  report.slowest('overview: page loaded anew', answers())
  report.line('load after', load())
  report.write(join(cache, 'bench-window.json'))
})

/** What else the machine does is in every figure. */
function load(): string {
  return loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')
}

async function repeat(measure: () => Promise<number>, prepare: () => Promise<void>): Promise<number[]> {
  const measured: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    await prepare()
    await rest()
    measured.push(await measure())
  }
  return measured
}

/** Seeds the data dir, unless one of the last hours is there: its last requests are to be of today. */
function makeData(): void {
  mkdirSync(join(cache, 'seeded'), { recursive: true })
  const made = existsSync(stamp) ? Number(readFileSync(stamp, 'utf8')) : 0
  if (Date.now() - made < KEPT_MS) return
  rmSync(dataDir, { recursive: true, force: true })
  const now = Date.now()
  console.log(`Seeding ${REQUESTS.toLocaleString('en-US')} requests…`)
  seed(dataDir, { requests: REQUESTS, days: DAYS, now })
  console.log(`Seeded in ${((Date.now() - now) / 1000).toFixed(0)} s.`)
  writeFileSync(stamp, String(now))
}
