// Takes screenshots of every view in four states, for review: empty, typical, full, and when the gateway fails. In a fifth,
// of what API formats, tools and containers add.
// `npm run screenshots` writes them to `.cache/screenshots`.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from '@playwright/test'
import { listen } from '../../src/gateway/testing/listen.ts'
import { DEFAULT_PORT } from '../../src/host/start.ts'
import { seed } from '../../src/tooling/seed/seed.ts'
import { type App, test } from '../app.ts'
import { failEveryCall } from '../views.ts'
import { addFullData, addTypicalData } from './fixtures.ts'
import { addFormatRequests } from './format-requests.ts'
import { containerShots, formatShots, reportContainerAccess, setUpTool } from './format-shots.ts'
import { overlayShots, type Shot, viewShots } from './shots.ts'
import { type Capture, createCapture, extremes, makeSheets, themes, widths } from './take-screenshot.ts'

async function shoot(
  { window }: App,
  capture: Capture,
  shots: readonly Shot[],
  sizes = widths,
): Promise<void> {
  for (const theme of themes) {
    for (const size of sizes) {
      await capture.resize(theme, size)
      for (const shot of shots) {
        await shot.show(window)
        // Nothing should be in its hover state.
        await window.mouse.move(0, 0)
        await capture.save(shot.name)
        // The first closes a list that is open in a dialog.
        await window.keyboard.press('Escape')
        await window.keyboard.press('Escape')
      }
    }
  }
}

/** The port if it is free, else 0 for any. */
async function portIfFree(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
    return port
  } catch {
    return 0
  } finally {
    probe.close()
  }
}

test('empty', async ({ launcher }) => {
  const app = await launcher.launch()
  const capture = createCapture('empty', app)
  await shoot(app, capture, viewShots)
  await makeSheets('empty', app.electron)
})

test('typical', async ({ launcher }) => {
  const dataDir = launcher.newDataDir()
  seed(dataDir, { requests: 4_000, days: 90, now: Date.now() })
  // The documentation uses some of these, so they should show the default address.
  const app = await launcher.launch({ dataDir, port: await portIfFree(DEFAULT_PORT) })
  await addTypicalData(app)
  const capture = createCapture('typical', app)
  await shoot(app, capture, viewShots)
  await shoot(app, capture, overlayShots)
  await shoot(app, capture, viewShots, extremes)
  await makeSheets('typical', app.electron)
})

test('formats', async ({ launcher }) => {
  const app = await launcher.launch()
  await addFormatRequests(app)
  const capture = createCapture('formats', app)
  await capture.resize('light', { width: 900, height: 600 })
  await setUpTool(app, capture)
  await shoot(app, capture, formatShots)
  await reportContainerAccess(app)
  await shoot(app, capture, containerShots)
  await makeSheets('formats', app.electron)
})

test('full', async ({ launcher }) => {
  const dataDir = launcher.newDataDir()
  seed(dataDir, { requests: 200_000, days: 400, now: Date.now() })
  const app = await launcher.launch({ dataDir })
  await addFullData(app)
  const capture = createCapture('full', app)
  await shoot(app, capture, viewShots)
  await makeSheets('full', app.electron)
})

test('error', async ({ launcher }) => {
  const otherServer = createServer()
  const port = await listen(otherServer)
  try {
    const app = await launcher.launch({ port })
    const { window } = app
    const capture = createCapture('error', app)
    await expect(window.getByRole('alert')).toContainText('not listening')
    await shoot(app, capture, [{ name: 'overview-port-taken', show: async () => {} }])
    await window
      .getByRole('alert')
      .getByRole('button', { name: /^Use port/ })
      .click()
    await expect(window.getByRole('alert')).toBeHidden()

    await failEveryCall(window)
    await shoot(app, capture, viewShots)
    await makeSheets('error', app.electron)
  } finally {
    otherServer.close()
  }
})
