// Measures the time from the start of the app until its window shows numbers, what it loads for that, the memory of all its
// processes, and how soon a click answers while the gateway has all the requests that it can take.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { root } from '../../commands.ts'
import { readTreeMemory } from '../../soak/process-state.ts'
import { evaluateInPage } from '../devtools.ts'
import { startApp } from '../electron.ts'
import { createAdminKey } from '../gateway.ts'
import { OVERVIEW_PAINTED } from '../overview-painted.ts'
import { getPid } from '../processes.ts'
import { atMost, type CaseReport, count, inMebibytes, milliseconds } from '../report.ts'
import { CLIENTS, sendRequests } from '../requests.ts'
import { copySeeded } from '../seeded.ts'
import type { Session } from '../session.ts'
import { computeSpread, median, quantile } from '../statistics.ts'

const MAX_START_MS = 900
const MAX_SCRIPT_BYTES = 400_000
const MAX_CLICK_MS = 50
const CLICKS = 60
const CLICK_EVERY_MS = 150

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
  const clicks = await measureClicks(session)
  const rate = `${count(clicks.rate)} requests a second`
  const title = `window: start to Overview with numbers, ${count(windowRequests)} requests`
  const duringLoad = `window: click until the next frame, 95 of 100, while ${rate} run`
  return {
    goals: [
      {
        ...atMost(title, middle, MAX_START_MS, milliseconds),
        measured: `${milliseconds(middle)} (${count(min)}…${count(max)})`,
      },
      atMost('window: scripts loaded before the numbers', scriptBytes, MAX_SCRIPT_BYTES, kilobytes),
      atMost(duringLoad, clicks.p95, MAX_CLICK_MS, milliseconds),
    ],
    tables: [
      {
        title: 'The app with its window, when it shows the numbers',
        columns: ['what', 'median'],
        isDetail: true,
        rows: [
          [
            'memory of all processes, shared pages divided among them',
            inMebibytes(median(measured.map(({ memoryMiB }) => memoryMiB))),
          ],
          ['click until the next frame, nothing runs', milliseconds(clicks.idle)],
          [`click until the next frame, ${rate}`, milliseconds(clicks.p50)],
        ],
      },
    ],
  }
}

const kilobytes = (bytes: number): string => `${count(bytes / 1_000)} kB`

interface WindowStart {
  /** From the start of the process until the frame in which Overview's numbers are painted. */
  ms: number
  memoryMiB: number
  /** Of the files with the scripts that were loaded until then. */
  scriptBytes: number
}

const Painted = z.object({ at: z.number(), scripts: z.array(z.string()) })

async function timeWindow(session: Session, dataDir: string): Promise<WindowStart> {
  const { processes } = session
  const electron = await session.electron()
  const startedAt = Date.now()
  const { child, host } = await startApp(processes, electron, dataDir)
  const { at, scripts } = Painted.parse(await evaluateInPage(host, 'app://', PAINTED))
  const memoryMiB = readTreeMemory(getPid(child))
  await processes.stop(getPid(child))
  // Chromium's helpers end a little after it.
  await delay(200)
  if (scripts.length < 2) throw new Error(`The window loaded ${scripts.length} scripts.`)
  const sizes = scripts.map((url) => statSync(join(root, 'out/renderer', new URL(url).pathname)).size)
  return { ms: at - startedAt, memoryMiB, scriptBytes: sizes.reduce((sum, size) => sum + size, 0) }
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
  const { sizes, processes } = session
  const { target, host } = await session.startDesktop()
  const load = { stream: false, clients: CLIENTS }
  await sendRequests(target, { ...load, requests: sizes.warmUp })
  const click = async () => z.array(z.number()).parse(await evaluateInPage(host, 'app://', CLICKED))
  const idle = median(await click())
  const clicking = click()
  const { rate } = await sendRequests(target, { ...load, requests: 5 * sizes.plain.together })
  const times = await clicking
  await processes.stop(target.pid)
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
  const matches = (selector) => document.querySelector(selector) !== null
  const scripts = () => [...document.querySelectorAll('script[src], link[rel=modulepreload]')].map(({ src, href }) => src || href)
  const check = () => requestAnimationFrame(() => {
    if (shown.every(matches) && !gone.some(matches)) requestAnimationFrame(() => resolve({ at: Date.now(), scripts: [...new Set(scripts())] }))
    else check()
  })
  check()
})`
