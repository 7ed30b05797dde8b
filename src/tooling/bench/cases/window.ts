// Measures the time from the start of the app until its window shows numbers, and the size of the window's files.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { root } from '../../commands.ts'
import { evaluateInPage } from '../devtools.ts'
import { startApp } from '../electron.ts'
import { createAdminKey } from '../gateway.ts'
import { OVERVIEW_PAINTED } from '../overview-painted.ts'
import { findLine, getPid } from '../processes.ts'
import { type CaseReport, count, mebibytes, milliseconds } from '../report.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'
import { computeSpread } from '../statistics.ts'

const MAX_START_MS = 1_000
const MAX_FILES_BYTES = 4 * 2 ** 20
const renderer = join(root, 'out/renderer')

export async function measureWindow(session: Session): Promise<CaseReport> {
  const { windowRequests, starts } = session.sizes
  const dataDir = session.newDataDir()
  copySeeded(windowRequests, dataDir)
  // The first start on a data dir may change it.
  await createAdminKey(session.processes, session.program, dataDir)
  const measured: number[] = []
  for (let time = 0; time <= starts; time++) {
    const ms = await timeWindow(session, dataDir)
    // The first start fills the caches of Chromium and of the system.
    if (time > 0) measured.push(ms)
  }
  const { median: middle, min, max } = computeSpread(measured)
  const files = filesBytes()
  return {
    goals: [
      {
        name: `window: start to Overview with numbers, ${count(windowRequests)} requests`,
        measured: `${milliseconds(middle)} (${count(min)}…${count(max)})`,
        target: '≤ 1,000 ms',
        met: middle <= MAX_START_MS,
      },
      {
        name: 'window: all files (`out/renderer`)',
        measured: mebibytes(files),
        target: '≤ 4 MiB',
        met: files <= MAX_FILES_BYTES,
      },
    ],
    tables: [],
  }
}

/** Milliseconds from the start of the process until the frame in which Overview's numbers are painted. */
async function timeWindow(session: Session, dataDir: string): Promise<number> {
  const { processes } = session
  const electron = await session.electron()
  const startedAt = Date.now()
  const child = startApp(processes, electron, dataDir, ['--remote-debugging-port=0'])
  const line = await findLine(child.stderr, /DevTools listening on/)
  const { host } = new URL(line.slice(line.indexOf('ws://')))
  const painted = Number(await evaluateInPage(host, 'app://', PAINTED))
  await processes.stop(getPid(child))
  // Chromium's helpers end a little after it.
  await delay(200)
  return painted - startedAt
}

/** Runs in the page. Resolves to the time of the first frame that shows the numbers. */
const PAINTED = `new Promise((resolve) => {
  const { shown, gone } = ${JSON.stringify(OVERVIEW_PAINTED)}
  const check = () => requestAnimationFrame(() => {
    const painted = shown.every((each) => document.querySelector(each)) && !gone.some((each) => document.querySelector(each))
    if (painted) requestAnimationFrame(() => resolve(Date.now()))
    else check()
  })
  check()
})`

function filesBytes(): number {
  return readdirSync(renderer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
