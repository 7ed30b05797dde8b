// Measures the window with a log of 1,000,000 requests and prints the results, without asserting any time.
// `npm run bench:window`.
import { cpus, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { copySeeded } from '../../src/tooling/bench/seeded.ts'
import { test } from '../app.ts'
import { open, type View, views } from '../views.ts'
import { measureFilters } from './filters.ts'
import { logPainted, overviewPainted, viewPainted, waitUntilIdle } from './idle.ts'
import { ms, newReport } from './report.ts'
import { watchResponses } from './responses.ts'
import { measureScrolling, traceScrolling } from './scrolling.ts'
import { timeClick, timeReload } from './stopwatch.ts'

const REQUESTS = 1_000_000
const TIMES = 9
const cache = resolve(import.meta.dirname, '../../.cache')

test('the window with a million requests', async ({ launcher }) => {
  const dataDir = launcher.newDataDir()
  copySeeded(REQUESTS, dataDir)
  const app = await launcher.launch({ dataDir })
  const { window, electron, send } = app
  for (const id of ['openai', 'anthropic'])
    await send('PUT', `/v1/providers/${id}`, { credential: 'sk-test-0000000000' }, z.unknown())
  const answers = watchResponses(window)
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
  const reloaded = await repeat(() => timeReload(window, logPainted), waitUntilIdle)
  report.times('log: reload until rows', '–', reloaded)
  report.slowest('log: reload', answers())
  await measureScrolling(app, report)
  await traceScrolling(app, join(cache, 'bench-window-scroll.trace.json'), report)
  await measureFilters(app, report, answers)

  const opened = await repeat(openOverview, () => open(window, 'Requests'))
  report.times('overview: click until painted', '300 ms', opened)
  answers()
  const again = await repeat(() => timeReload(window, overviewPainted), waitUntilIdle)
  report.times('overview: reload until painted', '–', again)
  report.slowest('overview: reload', answers())
  for (const view of views.filter((one) => one !== 'Overview' && one !== 'Requests')) {
    const change = () => timeClick(window, link(view), viewPainted(view))
    report.times(
      `${view.toLowerCase()}: click until painted`,
      '100 ms',
      await repeat(change, () => open(window, 'Overview')),
    )
  }
  report.line('load after', load())
  report.write(join(cache, 'bench-window.json'))
})

/** The load of the machine affects every measurement. */
function load(): string {
  return loadavg()
    .map((one) => one.toFixed(1))
    .join(' ')
}

async function repeat(measure: () => Promise<number>, prepare: () => Promise<void>): Promise<number[]> {
  const measured: number[] = []
  for (let time = 0; time < TIMES; time += 1) {
    await prepare()
    await waitUntilIdle()
    measured.push(await measure())
  }
  return measured
}
