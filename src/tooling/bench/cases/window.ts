// Measures the time from the start of the app until its window shows numbers, what it loads for that, the memory of all its
// processes, and the size of the window's files.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { root } from '../../commands.ts'
import { readTreeMemory } from '../../soak/process-state.ts'
import { evaluateInPage } from '../devtools.ts'
import { startApp } from '../electron.ts'
import { createAdminKey } from '../gateway.ts'
import { OVERVIEW_PAINTED } from '../overview-painted.ts'
import { findLine, getPid } from '../processes.ts'
import { type CaseReport, count, mebibytes, milliseconds } from '../report.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'
import { computeSpread, median } from '../statistics.ts'

const MAX_START_MS = 900
const MAX_SCRIPT_BYTES = 400_000
const MAX_FILES_BYTES = 4 * 2 ** 20
const renderer = join(root, 'out/renderer')

export async function measureWindow(session: Session): Promise<CaseReport> {
  const { windowRequests, starts } = session.sizes
  const dataDir = session.newDataDir()
  copySeeded(windowRequests, dataDir)
  // The first start on a data dir may change it.
  await createAdminKey(session.processes, session.program, dataDir)
  const measured: WindowStart[] = []
  for (let time = 0; time <= starts; time++) {
    const start = await timeWindow(session, dataDir)
    // The first start fills the caches of Chromium and of the system.
    if (time > 0) measured.push(start)
  }
  const { median: middle, min, max } = computeSpread(measured.map(({ ms }) => ms))
  const scriptBytes = median(measured.map((start) => start.scriptBytes))
  const memoryMiB = median(measured.map((start) => start.memoryMiB))
  const files = filesBytes()
  return {
    goals: [
      {
        name: `window: start to Overview with numbers, ${count(windowRequests)} requests`,
        measured: `${milliseconds(middle)} (${count(min)}…${count(max)})`,
        target: '≤ 900 ms',
        met: middle <= MAX_START_MS,
      },
      {
        name: 'window: scripts loaded before the numbers',
        measured: `${count(scriptBytes / 1_000)} kB`,
        target: '≤ 400 kB',
        met: scriptBytes <= MAX_SCRIPT_BYTES,
      },
      {
        name: 'window: all files (`out/renderer`)',
        measured: mebibytes(files),
        target: '≤ 4 MiB',
        met: files <= MAX_FILES_BYTES,
      },
    ],
    tables: [
      {
        title: 'The app with its window, when it shows the numbers',
        columns: ['what', 'median'],
        rows: [
          ['memory of all processes, shared pages divided among them', `${memoryMiB} MiB`],
          ['scripts loaded', `${count(scriptBytes / 1_000)} kB`],
        ],
      },
    ],
  }
}

interface WindowStart {
  /** From the start of the process until the frame in which Overview's numbers are painted. */
  ms: number
  /** Of the files with the scripts that were loaded until then. */
  scriptBytes: number
  memoryMiB: number
}

const Painted = z.object({ at: z.number(), scripts: z.array(z.string()) })

async function timeWindow(session: Session, dataDir: string): Promise<WindowStart> {
  const { processes } = session
  const electron = await session.electron()
  const startedAt = Date.now()
  const child = startApp(processes, electron, dataDir, ['--remote-debugging-port=0'])
  const line = await findLine(child.stderr, /DevTools listening on/)
  const { host } = new URL(line.slice(line.indexOf('ws://')))
  const { at, scripts } = Painted.parse(await evaluateInPage(host, 'app://', PAINTED))
  const memoryMiB = readTreeMemory(getPid(child))
  await processes.stop(getPid(child))
  // Chromium's helpers end a little after it.
  await delay(200)
  if (scripts.length < 2) throw new Error(`The window loaded ${scripts.length} scripts.`)
  const sizes = scripts.map((url) => statSync(join(renderer, new URL(url).pathname)).size)
  return { ms: at - startedAt, memoryMiB, scriptBytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/**
 * Runs in the page. Resolves to the time of the first frame that shows the numbers, and the scripts loaded until then, by the
 * elements that load them: Chromium has no timings of the app's own scheme. Imports add theirs, too.
 */
const PAINTED = `new Promise((resolve) => {
  const { shown, gone } = ${JSON.stringify(OVERVIEW_PAINTED)}
  const check = () => requestAnimationFrame(() => {
    const painted = shown.every((each) => document.querySelector(each)) && !gone.some((each) => document.querySelector(each))
    if (painted) requestAnimationFrame(() => resolve({
      at: Date.now(),
      scripts: [...new Set([...document.querySelectorAll('script[src], link[rel=modulepreload]')].map(({ src, href }) => src || href))],
    }))
    else check()
  })
  check()
})`

function filesBytes(): number {
  return readdirSync(renderer, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
