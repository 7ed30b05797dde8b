// Measures how smoothly the request log scrolls, compared with a page of plain text under the same load.
import type { ElectronApplication, Page } from '@playwright/test'
import type { App } from '../app.ts'
import { open } from '../views.ts'
import { waitUntilIdle } from './idle.ts'
import { ms, type Report } from './report.ts'
import { measureSmoothness, type Scrolled, scroll } from './scroll.ts'
import { readBusyTimes } from './trace.ts'

const ROUNDS = 3
const ROUND_MS = 4_000
const ROW_PX = 36
const WHEEL = 1_500
const FAST = 6_000

export async function measureScrolling({ window, electron }: App, report: Report): Promise<void> {
  const rounds = new Map<string, Scrolled[]>()
  const run = async (name: string, page: Page, speed: number) => {
    await waitUntilIdle()
    rounds.set(name, [...(rounds.get(name) ?? []), await scroll(page, ROUND_MS, speed)])
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const plain = await openPlainPage(electron)
    await run(`plain text, ${WHEEL} px/s, for comparison`, plain, WHEEL)
    await plain.close()
    await open(window, 'Overview')
    await open(window, 'Requests')
    await run(`the log as with a wheel, ${WHEEL} px/s`, window, WHEEL)
    await run(`the log fast, ${FAST} px/s`, window, FAST)
  }
  for (const [name, scrolled] of rounds) report.line(`scrolling ${name}`, describeScrolling(scrolled))
}

function describeScrolling(scrolled: readonly Scrolled[]): string {
  const { fps, p50, p95, p99, late } = measureSmoothness(scrolled.flatMap(({ frames }) => frames))
  const best = Math.max(...scrolled.map(({ frames }) => measureSmoothness(frames).fps))
  const rows = Math.round(scrolled.reduce((sum, { px }) => sum + px, 0) / ROW_PX)
  const frames = `frame p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}, ${(late * 100).toFixed(1)} % over 20 ms`
  return `${fps.toFixed(1)} fps, best round ${best.toFixed(1)}, over ${rows} rows; ${frames} (goal 60 fps)`
}

/** Opens a window of the same size with plain text only, as a baseline for this machine. */
async function openPlainPage(electron: ElectronApplication): Promise<Page> {
  const text = `<pre>${'one line of plain text<br>'.repeat(2_000)}</pre>`
  const opened = electron.waitForEvent('window')
  await electron.evaluate(
    async ({ BrowserWindow }, url) => {
      const [width = 0, height = 0] = BrowserWindow.getAllWindows()[0]?.getContentSize() ?? []
      await new BrowserWindow({ width, height }).loadURL(url)
    },
    `data:text/html,${encodeURIComponent(text)}`,
  )
  return await opened
}

const TRACED_MS = 3_000
const CATEGORIES = ['devtools.timeline', 'cc', 'benchmark', 'toplevel']

/** Scrolls the log while recording a Chrome trace to `path`, and reports how busy the threads were. */
export async function traceScrolling({ window, electron }: App, path: string, report: Report): Promise<void> {
  await electron.evaluate(
    ({ contentTracing }, categories) => contentTracing.startRecording({ included_categories: categories }),
    CATEGORIES,
  )
  await scroll(window, TRACED_MS, WHEEL)
  await electron.evaluate(({ contentTracing }, to) => contentTracing.stopRecording(to), path)
  for (const [what, busy] of readBusyTimes(path))
    report.line(`scrolling, of ${TRACED_MS} ms: ${what}`, ms(busy))
}
