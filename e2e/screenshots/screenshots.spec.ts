// Takes pictures of every view of the real window in four states, into an ignored folder, to be looked at: empty, after
// some weeks, with as much as anybody has, and when the gateway fails. `npm run screenshots [state]`.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from '@playwright/test'
import { DEFAULT_PORT } from '../../src/host/start.ts'
import { seed } from '../../src/tooling/seed/seed.ts'
import { type App, test } from '../app.ts'
import { failEveryCall } from '../views.ts'
import { dressAsFull, dressAsUsed } from './fixtures.ts'
import { type Camera, cameraFor, extremes, makeSheets, themes, widths } from './screenshot.ts'
import { overShots, type Shot, viewShots } from './shots.ts'

async function shoot({ window }: App, camera: Camera, shots: readonly Shot[], sizes = widths): Promise<void> {
  for (const theme of themes) {
    for (const size of sizes) {
      await camera.pose(theme, size)
      for (const shot of shots) {
        await shot.show(window)
        // Away from everything that changes under it.
        await window.mouse.move(0, 0)
        await camera.take(shot.name)
        await window.keyboard.press('Escape')
      }
    }
  }
}

/** The port if nobody has it, else any. */
async function unlessTaken(port: number): Promise<number> {
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

test('empty', async ({ started }) => {
  const app = await started.launch()
  const camera = cameraFor('empty', app)
  await shoot(app, camera, viewShots)
  await makeSheets('empty', app.electron)
})

test('typical', async ({ started }) => {
  const dataDir = started.freshDataDir()
  seed(dataDir, { requests: 4_000, days: 90, now: Date.now() })
  // Pictures for the documentation are chosen from these: with the address that a user would have, if it is free.
  const app = await started.launch({ dataDir, port: await unlessTaken(DEFAULT_PORT) })
  await dressAsUsed(app)
  const camera = cameraFor('typical', app)
  await shoot(app, camera, viewShots)
  await shoot(app, camera, overShots)
  await shoot(app, camera, viewShots, extremes)
  await makeSheets('typical', app.electron)
})

test('full', async ({ started }) => {
  const dataDir = started.freshDataDir()
  seed(dataDir, { requests: 200_000, days: 400, now: Date.now() })
  const app = await started.launch({ dataDir })
  await dressAsFull(app)
  const camera = cameraFor('full', app)
  await shoot(app, camera, viewShots)
  await makeSheets('full', app.electron)
})

test('error', async ({ started }) => {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  const address = squatter.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  try {
    const app = await started.launch({ port })
    const { window } = app
    const camera = cameraFor('error', app)
    await expect(window.getByRole('alert')).toContainText('not listening')
    await shoot(app, camera, [{ name: 'overview-port-taken', show: async () => {} }])
    await window
      .getByRole('alert')
      .getByRole('button', { name: /^Use port/ })
      .click()
    await expect(window.getByRole('alert')).toBeHidden()

    await failEveryCall(window)
    await shoot(app, camera, viewShots)
    await makeSheets('error', app.electron)
  } finally {
    squatter.close()
  }
})
