// Measures the time from the start of the app until its window shows numbers, what it loads for that, the memory of all its
// processes, the size of the window's files, and how soon a click answers while the gateway has all the requests that it can take.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { root } from '../../commands.ts'
import { readTreeMemory } from '../../soak/process-state.ts'
import { evaluateInPage } from '../devtools.ts'
import { startApp } from '../electron.ts'
import { createAdminKey, readBaseUrl } from '../gateway.ts'
import { OVERVIEW_PAINTED } from '../overview-painted.ts'
import { findLine, getPid } from '../processes.ts'
import { atMost, type CaseReport, count, mebibytes, milliseconds } from '../report.ts'
import { copySeeded } from '../seeded.ts'
import { DESKTOP, type Session } from '../session.ts'
import { computeSpread, median, quantile } from '../statistics.ts'
import { waitFor } from '../wait-for.ts'

const MAX_START_MS = 900
const MAX_SCRIPT_BYTES = 400_000
const MAX_CLICK_MS = 50
const CLIENTS = 32
const CLICKS = 60
const CLICK_EVERY_MS = 150
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
  const clicks = await measureClicks(session)
  return {
    goals: [
      {
        name: `window: start to Overview with numbers, ${count(windowRequests)} requests`,
        measured: `${milliseconds(middle)} (${count(min)}…${count(max)})`,
        target: '≤ 900 ms',
        met: middle <= MAX_START_MS,
      },
      atMost('window: scripts loaded before the numbers', scriptBytes, MAX_SCRIPT_BYTES, kilobytes),
      atMost('window: all files (`out/renderer`)', files, MAX_FILES_BYTES, mebibytes),
      atMost(
        `window: click until the next frame, 95 of 100, while ${count(clicks.rate)} requests a second run`,
        ...([clicks.p95, MAX_CLICK_MS, milliseconds] as const),
      ),
    ],
    tables: [
      {
        title: 'The app with its window, when it shows the numbers',
        columns: ['what', 'median'],
        isDetail: true,
        rows: [
          ['memory of all processes, shared pages divided among them', `${memoryMiB} MiB`],
          ['scripts loaded', kilobytes(scriptBytes)],
          ['click until the next frame, nothing runs', milliseconds(clicks.idle)],
          [`click until the next frame, ${count(clicks.rate)} requests a second`, milliseconds(clicks.p50)],
        ],
      },
    ],
  }
}

const kilobytes = (bytes: number): string => `${count(bytes / 1_000)} kB`

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
  const startedAt = Date.now()
  const { pid, host } = await startDebugged(session, dataDir)
  const { at, scripts } = Painted.parse(await evaluateInPage(host, 'app://', PAINTED))
  const memoryMiB = readTreeMemory(pid)
  await processes.stop(pid)
  // Chromium's helpers end a little after it.
  await delay(200)
  if (scripts.length < 2) throw new Error(`The window loaded ${scripts.length} scripts.`)
  const sizes = scripts.map((url) => statSync(join(renderer, new URL(url).pathname)).size)
  return { ms: at - startedAt, memoryMiB, scriptBytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/** The app with its window, and the address of Chromium's debugging protocol. */
async function startDebugged(session: Session, dataDir: string): Promise<{ pid: number; host: string }> {
  const electron = await session.electron()
  const child = startApp(session.processes, electron, dataDir, ['--remote-debugging-port=0'])
  const line = await findLine(child.stderr, /DevTools listening on/)
  child.stderr?.resume()
  return { pid: getPid(child), host: new URL(line.slice(line.indexOf('ws://'))).host }
}

interface ClickTimes {
  p50: number
  p95: number
  /** While nothing runs. */
  idle: number
  /** Requests a second meanwhile. */
  rate: number
}

async function measureClicks(session: Session): Promise<ClickTimes> {
  const { processes, program, sizes, load } = session
  const dataDir = session.newDataDir()
  const adminKey = await createAdminKey(processes, program, dataDir)
  const { pid, host } = await startDebugged(session, dataDir)
  const baseUrl = await waitFor(() => readBaseUrl(dataDir))
  const gateway = { pid, baseUrl, readyMs: 0 }
  const { target } = await session.setUp(DESKTOP, { gateway, dataDir, adminKey })
  const job = { kind: 'requests', target, stream: false, clients: CLIENTS } as const
  await load.run({ ...job, requests: sizes.warmUp })
  const click = async () => z.array(z.number()).parse(await evaluateInPage(host, 'app://', CLICKED))
  const idle = median(await click())
  const clicking = click()
  const { rate } = await load.run({ ...job, requests: 5 * sizes.plain.together })
  const times = await clicking
  await processes.stop(pid)
  return { p50: median(times), p95: quantile(times, 0.95), idle, rate }
}

/**
 * Runs in the page. Clicks links of the sidebar in turn, and resolves to the milliseconds from when each click was due until the
 * next frame, so that a busy window counts as a late one.
 */
const CLICKED = `(async () => {
  const times = []
  const links = [...document.querySelectorAll('nav a')].filter(({ textContent }) => /^(Keys|Providers|Models)/.test(textContent))
  const start = performance.now()
  for (let click = 0; click < ${CLICKS}; click++) {
    const due = start + click * ${CLICK_EVERY_MS}
    await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
    links[click % links.length].click()
    await new Promise((resolve) => requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = resolve
      channel.port2.postMessage(null)
    }))
    times.push(performance.now() - due)
  }
  return times
})()`

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
